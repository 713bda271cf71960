//! How well parts are found: each kind's parts, right in their kind and their ends; in their kind and most of their words; and
//! all that was said at once.

use language::stretch::Stretch;

use super::marked::Marked;

#[derive(Default, Clone, Copy)]
struct Count {
    wanted: usize,
    found: usize,
    exact: usize,
    about: usize,
}

/// `parts`: what is found in one.
pub fn print(kinds: &[String], set: &[Marked], missed: bool, parts: impl Fn(&Marked) -> Vec<Stretch>) {
    let mut counts = vec![Count::default(); kinds.len()];
    let mut whole = 0;
    let start = std::time::Instant::now();
    for reply in set {
        let found = parts(reply);
        for part in &reply.parts {
            counts[part.kind].wanted += 1;
        }
        for part in &found {
            let count = &mut counts[part.kind];
            count.found += 1;
            let same = |other: &&Stretch| other.kind == part.kind;
            let mut like = reply.parts.iter().filter(same);
            count.exact +=
                usize::from(like.clone().any(|other| (other.from, other.to) == (part.from, part.to)));
            count.about += usize::from(like.any(|other| half(part, other)));
        }
        let right = found.len() == reply.parts.len()
            && found.iter().zip(&reply.parts).all(|(a, b)| a.kind == b.kind && half(a, b));
        whole += usize::from(right);
        if missed && !right {
            let shown = |parts: &[Stretch]| {
                let each = parts
                    .iter()
                    .map(|p| format!("[{} {} {:.2}]", kinds[p.kind], &reply.text[p.from..p.to], p.sure));
                each.collect::<Vec<_>>().join(" ")
            };
            println!(
                "{:?}: {}\n    wanted {}\n    found  {}",
                reply.asked,
                reply.text,
                shown(&reply.parts),
                shown(&found)
            );
        }
    }
    let each = start.elapsed().as_micros() as usize / set.len().max(1);
    for (kind, count) in kinds.iter().zip(counts) {
        let share = |of: usize, all: usize| 100.0 * of as f32 / all.max(1) as f32;
        println!(
            "{:7} {:4} wanted: about right {:5.1} % found, {:5.1} % of those said; to the word {:5.1} %",
            kind,
            count.wanted,
            share(count.about, count.wanted),
            share(count.about, count.found),
            share(count.exact, count.wanted)
        );
    }
    println!("all of it about right: {whole} of {}; {each} µs each", set.len());
}

/// Whether two parts share more than half of the longer one.
fn half(a: &Stretch, b: &Stretch) -> bool {
    let shared = a.to.min(b.to).saturating_sub(a.from.max(b.from));
    2 * shared > (a.to - a.from).max(b.to - b.from)
}
