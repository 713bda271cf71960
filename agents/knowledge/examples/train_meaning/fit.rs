//! Two softmaxes by stochastic gradient descent: marks with steps of their own for each weight, what reads the encoder's numbers
//! in small batches. Several fits, each with its share of the hidden units and of the queries, are one model: the mean of their
//! log odds.

use governance::meaning::{
    EACH, FORBIDDEN, HIDDEN, Layers, MARKS, Marks, OUTPUTS, Own, Parts, QUERIES, Query, TOKENS, WIDTH,
    Weights, dot, listen,
};
use governance::rules::likeness::damping;
use knowledge::Seen;

use crate::data::Line;
use crate::grammar::Dice;
use crate::vectors::Vectors;

/// A mark of fewer sentences is chance.
const RAREST: u16 = 3;
/// Models whose mean is shipped: chance in one evens out.
pub const FITS: usize = 2;
/// Hidden units and queries of one.
const OWN: usize = HIDDEN / FITS;
const LISTENERS: usize = QUERIES / FITS;
/// Sentences between two steps of the layers.
const BATCH: usize = 64;
/// Vectors are of unit length: so their numbers are about one.
const SIZE: f32 = 19.6;

/// How to fit.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub epochs: usize,
    pub marks_rate: f32,
    pub marks_decay: f32,
    pub layer_rate: f32,
    pub layer_decay: f32,
    /// Percent of marks, and of hidden units, that a look leaves out, and of looks without any mark.
    pub dropout: usize,
    pub units_dropout: usize,
    pub deaf: usize,
    /// Percent of looks that have the words alone.
    pub blind: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            epochs: 14,
            marks_rate: 0.1,
            marks_decay: 1e-5,
            layer_rate: 1e-3,
            layer_decay: 1e-3,
            dropout: 40,
            units_dropout: 30,
            deaf: 15,
            blind: 10,
        }
    }
}

impl Plan {
    /// With what is given as `name=value`, for trials.
    pub fn with(mut self, words: &[String]) -> Self {
        for (name, value) in words.iter().filter_map(|word| word.split_once('=')) {
            let number: f32 = value.parse().unwrap_or_default();
            match name {
                "epochs" => self.epochs = number as usize,
                "marks" => self.marks_rate = number,
                "marks_decay" => self.marks_decay = number,
                "layer" => self.layer_rate = number,
                "layer_decay" => self.layer_decay = number,
                "dropout" => self.dropout = number as usize,
                "units" => self.units_dropout = number as usize,
                "deaf" => self.deaf = number as usize,
                "blind" => self.blind = number as usize,
                _ => {}
            }
        }
        self
    }
}

struct Example {
    marks: Vec<u32>,
    words: usize,
    seen: Seen,
    wants: [Option<usize>; 2],
    weight: f32,
}

/// All fits as one model.
pub fn mean(
    lines: &[Line],
    vectors: &Vectors,
    plan: Plan,
    seed: u64,
) -> Result<Parts, Box<dyn std::error::Error>> {
    let marks = Marks::shipped()?;
    let examples: Vec<Example> = lines.iter().filter_map(|line| example(line, &marks, vectors)).collect();
    let common = common(&examples);
    let fits: Vec<Fit> = std::thread::scope(|scope| {
        let (examples, common) = (&examples, &common);
        let one = |n: u64| scope.spawn(move || Fit::new(seed + n).run(examples, common, plan));
        let all: Vec<_> = (0..FITS as u64).map(one).collect();
        all.into_iter().filter_map(|fit| fit.join().ok()).collect()
    });
    let share = 1.0 / FITS as f32;
    let mut marks = vec![[0.0; OUTPUTS]; MARKS];
    let mut bias = [0.0; OUTPUTS];
    let mut layers = Layers { out: Vec::new(), queries: Vec::new(), ..Layers::empty() };
    for (n, fit) in fits.iter().enumerate() {
        let mean = |(total, own): (&mut f32, &f32)| *total += own * share;
        marks.iter_mut().flatten().zip(fit.marks.iter().flatten()).for_each(mean);
        bias.iter_mut().zip(&fit.bias).for_each(mean);
        layers.out.extend(shared(&fit.out.value, share));
        for unit in 0..OWN {
            layers.begin[n * OWN + unit] = fit.begin.value[unit];
            for at in 0..WIDTH {
                layers.into[at][n * OWN + unit] = fit.into.value[at * OWN + unit] * SIZE;
            }
        }
        layers.queries.extend(fit.listeners.iter().map(|own| Query {
            asks: own.asks.value.clone(),
            into: own.into.value.as_chunks::<EACH>().0.to_vec(),
            begin: std::array::from_fn(|unit| own.begin.value[unit]),
            out: shared(&own.out.value, share),
        }));
    }
    Ok(Parts { marks, bias, layers })
}

fn shared(out: &[f32], share: f32) -> Vec<Weights> {
    out.as_chunks::<OUTPUTS>().0.iter().map(|row| row.map(|weight| weight * share)).collect()
}

/// Weights with the means and squares of their gradients.
struct Layer {
    value: Vec<f32>,
    gradient: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
}

impl Layer {
    fn new(size: usize, spread: f32, dice: &mut Dice) -> Self {
        // Twelve throws add up to about a normal one.
        let mut throw = || (0..12).map(|_| dice.below(10_001) as f32 / 10_000.0).sum::<f32>() - 6.0;
        let value = (0..size).map(|_| if spread > 0.0 { throw() * spread } else { 0.0 }).collect();
        Self { value, gradient: vec![0.0; size], mean: vec![0.0; size], square: vec![0.0; size] }
    }

    /// A step down, by Adam with decay.
    fn step(&mut self, rate: f32, decay: f32, steps: i32) {
        let (first, second) = (1.0 - 0.9f32.powi(steps), 1.0 - 0.999f32.powi(steps));
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((value, gradient), (mean, square)) in self.value.iter_mut().zip(&mut self.gradient).zip(moments)
        {
            *mean += 0.1 * (*gradient - *mean);
            *square += 0.001 * (*gradient * *gradient - *square);
            *value -= rate * ((*mean / first) / ((*square / second).sqrt() + 1e-8) + decay * *value);
            *gradient = 0.0;
        }
    }
}

/// One query under way.
struct Listener {
    asks: Layer,
    into: Layer,
    begin: Layer,
    out: Layer,
}

impl Listener {
    fn new(dice: &mut Dice) -> Self {
        let spread = (1.0 / WIDTH as f32).sqrt();
        Self {
            asks: Layer::new(WIDTH, spread, dice),
            into: Layer::new(WIDTH * EACH, spread, dice),
            begin: Layer::new(EACH, 0.0, dice),
            out: Layer::new(EACH * OUTPUTS, (1.0 / (LISTENERS * EACH) as f32).sqrt(), dice),
        }
    }

    /// Adds to the odds; what went in and what was open, for the way back.
    fn hear(&self, tokens: &[&[f32]], odds: &mut Weights, closed: usize, dice: &mut Dice) -> Heard {
        let (heard, shares) = listen(&self.asks.value, tokens);
        let mut units: Own = std::array::from_fn(|unit| self.begin.value[unit]);
        for (value, row) in heard.iter().zip(self.into.value.as_chunks::<EACH>().0) {
            units.iter_mut().zip(row).for_each(|(unit, weight)| *unit += value * weight);
        }
        let open = opened(&units, closed, dice);
        units.iter_mut().zip(open).for_each(|(unit, open)| *unit *= open);
        for (unit, row) in units.iter().zip(self.out.value.as_chunks::<OUTPUTS>().0) {
            odds.iter_mut().zip(row).for_each(|(odds, weight)| *odds += unit * weight);
        }
        Heard { heard, shares, units, open }
    }

    fn learn(&mut self, tokens: &[&[f32]], was: &Heard, error: &Weights) {
        let mut back: Own = [0.0; EACH];
        let outs = self.out.value.as_chunks::<OUTPUTS>().0.iter();
        let gradients = self.out.gradient.as_chunks_mut::<OUTPUTS>().0.iter_mut();
        for ((n, row), gradient) in outs.enumerate().zip(gradients) {
            gradient.iter_mut().zip(error).for_each(|(g, e)| *g += e * was.units[n]);
            back[n] = row.iter().zip(error).map(|(w, e)| w * e).sum::<f32>() * was.open[n];
        }
        self.begin.gradient.iter_mut().zip(&back).for_each(|(g, b)| *g += b);
        let mut of_heard = vec![0.0; WIDTH];
        let rows = self.into.value.as_chunks::<EACH>().0.iter();
        let gradients = self.into.gradient.as_chunks_mut::<EACH>().0.iter_mut();
        for (((value, row), gradient), own) in was.heard.iter().zip(rows).zip(gradients).zip(&mut of_heard) {
            gradient.iter_mut().zip(&back).for_each(|(g, b)| *g += b * value);
            *own = dot(row, &back);
        }
        let of_shares: Vec<f32> = tokens.iter().map(|token| dot(token, &of_heard)).collect();
        let mean: f32 = of_shares.iter().zip(&was.shares).map(|(g, share)| g * share).sum();
        for ((token, share), own) in tokens.iter().zip(&was.shares).zip(of_shares) {
            let step = share * (own - mean);
            self.asks.gradient.iter_mut().zip(*token).for_each(|(g, value)| *g += step * value);
        }
    }
}

struct Heard {
    heard: Vec<f32>,
    shares: Vec<f32>,
    units: Own,
    open: Own,
}

/// Which units go on, and how much louder for those that are left out.
fn opened<const N: usize>(units: &[f32; N], closed: usize, dice: &mut Dice) -> [f32; N] {
    let keep = 1.0 - closed as f32 / 100.0;
    units.map(|unit| if unit > 0.0 && !dice.chance(closed) { 1.0 / keep } else { 0.0 })
}

/// One fit under way.
struct Fit {
    dice: Dice,
    marks: Vec<Weights>,
    squares: Vec<Weights>,
    bias: Weights,
    into: Layer,
    begin: Layer,
    out: Layer,
    listeners: Vec<Listener>,
    steps: i32,
}

impl Fit {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let into = Layer::new(WIDTH * OWN, (2.0 / WIDTH as f32).sqrt(), &mut dice);
        let out = Layer::new(OWN * OUTPUTS, (1.0 / OWN as f32).sqrt(), &mut dice);
        let begin = Layer::new(OWN, 0.0, &mut dice);
        let listeners = (0..LISTENERS).map(|_| Listener::new(&mut dice)).collect();
        let (marks, squares) = (vec![[0.0; OUTPUTS]; MARKS], vec![[1e-2; OUTPUTS]; MARKS]);
        Self { dice, marks, squares, bias: [0.0; OUTPUTS], into, begin, out, listeners, steps: 0 }
    }

    fn run(mut self, examples: &[Example], common: &[bool], plan: Plan) -> Self {
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let all = (plan.epochs * examples.len()) as f32;
        let mut seen = 0f32;
        for _ in 0..plan.epochs {
            self.dice.shuffle(&mut order);
            for some in order.chunks(BATCH) {
                let slow = 1.0 - 0.95 * seen / all;
                for number in some {
                    self.look(&examples[*number], common, plan, slow, some.len() as f32);
                }
                seen += some.len() as f32;
                self.steps += 1;
                let mut layers = vec![(&mut self.into, plan.layer_decay), (&mut self.out, plan.layer_decay)];
                layers.push((&mut self.begin, 0.0));
                for Listener { asks, into, begin, out } in &mut self.listeners {
                    layers.extend([asks, into, out].map(|layer| (layer, plan.layer_decay)));
                    layers.push((begin, 0.0));
                }
                for (layer, decay) in layers {
                    layer.step(plan.layer_rate * slow, decay, self.steps);
                }
            }
        }
        self
    }

    fn look(&mut self, example: &Example, common: &[bool], plan: Plan, slow: f32, batch: f32) {
        let dice = &mut self.dice;
        let blind = dice.chance(plan.blind);
        let deaf = !blind && dice.chance(plan.deaf);
        let mut kept: Vec<usize> = example.marks.iter().map(|mark| *mark as usize).collect();
        kept.retain(|mark| common[*mark] && !deaf && !dice.chance(plan.dropout));
        let value = damping(example.words) / (1.0 - plan.dropout as f32 / 100.0);
        let mut odds = self.bias;
        for mark in &kept {
            odds.iter_mut().zip(&self.marks[*mark]).for_each(|(o, w)| *o += w * value);
        }
        let mut units = [0f32; OWN];
        units.copy_from_slice(&self.begin.value);
        for (v, row) in example.seen.vector.iter().zip(self.into.value.as_chunks::<OWN>().0) {
            let v = v * SIZE;
            units.iter_mut().zip(row).for_each(|(unit, w)| *unit += v * w);
        }
        let open = opened(&units, plan.units_dropout, dice);
        units.iter_mut().zip(open).for_each(|(unit, open)| *unit *= open);
        let tokens: Vec<&[f32]> = example.seen.tokens.chunks_exact(WIDTH).take(TOKENS).collect();
        let mut heard = Vec::new();
        if !blind {
            for (unit, row) in units.iter().zip(self.out.value.as_chunks::<OUTPUTS>().0) {
                odds.iter_mut().zip(row).for_each(|(o, w)| *o += unit * w);
            }
            for listener in &self.listeners {
                heard.push(listener.hear(&tokens, &mut odds, plan.units_dropout, dice));
            }
        }
        let error = error(&odds, example);
        for mark in &kept {
            let rows = self.marks[*mark].iter_mut().zip(&mut self.squares[*mark]);
            for ((weight, square), error) in rows.zip(&error) {
                let gradient = error * value + plan.marks_decay * *weight;
                *square += gradient * gradient;
                *weight -= plan.marks_rate * slow * gradient / square.sqrt();
            }
        }
        self.bias.iter_mut().zip(&error).for_each(|(bias, error)| *bias -= 0.02 * slow * error);
        if blind {
            return;
        }
        let error = error.map(|error| error / batch);
        for (listener, was) in self.listeners.iter_mut().zip(&heard) {
            listener.learn(&tokens, was, &error);
        }
        let mut back = [0f32; OWN];
        let outs = self.out.value.as_chunks::<OUTPUTS>().0.iter();
        let gradients = self.out.gradient.as_chunks_mut::<OUTPUTS>().0.iter_mut();
        for ((n, row), gradient) in outs.enumerate().zip(gradients) {
            gradient.iter_mut().zip(&error).for_each(|(g, e)| *g += e * units[n]);
            back[n] = row.iter().zip(&error).map(|(w, e)| w * e).sum::<f32>() * open[n];
        }
        self.begin.gradient.iter_mut().zip(&back).for_each(|(g, b)| *g += b);
        let rows = self.into.gradient.as_chunks_mut::<OWN>().0.iter_mut();
        for (v, row) in example.seen.vector.iter().zip(rows) {
            let v = v * SIZE;
            row.iter_mut().zip(&back).for_each(|(g, b)| *g += b * v);
        }
    }
}

/// What each output is off by.
fn error(odds: &Weights, example: &Example) -> Weights {
    let mut error = [0.0; OUTPUTS];
    let heads = [(0, FORBIDDEN), (FORBIDDEN, OUTPUTS)];
    for ((from, to), wanted) in heads.into_iter().zip(example.wants) {
        let Some(wanted) = wanted else { continue };
        let most = odds[from..to].iter().copied().fold(f32::MIN, f32::max);
        let sum: f32 = odds[from..to].iter().map(|o| (o - most).exp()).sum();
        for n in from..to {
            let hit = if n - from == wanted { 1.0 } else { 0.0 };
            error[n] = ((odds[n] - most).exp() / sum - hit) * example.weight;
        }
    }
    error
}

fn example(line: &Line, marks: &Marks, vectors: &Vectors) -> Option<Example> {
    let mut own = Vec::new();
    let words = marks.each(&line.text, |mark| own.push(mark));
    let seen = vectors.of(&line.text)?;
    Some(Example { marks: own, words, seen, wants: [line.forbidden, line.act], weight: line.weight })
}

fn common(examples: &[Example]) -> Vec<bool> {
    let mut seen = vec![0u16; MARKS];
    for example in examples {
        let mut own = example.marks.clone();
        own.sort_unstable();
        own.dedup();
        own.iter().for_each(|mark| seen[*mark as usize] = seen[*mark as usize].saturating_add(1));
    }
    seen.into_iter().map(|n| n >= RAREST).collect()
}
