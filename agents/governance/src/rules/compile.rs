//! From an expression as it is written to one that can be looked at quickly: names found, types checked, patterns
//! compiled, cost bounded.

use std::sync::Arc;

use regex::{RegexSet, RegexSetBuilder};

use super::ast::{Comparison, Expr, Is};
use super::fault::RuleError;
use super::fields::{Field, Type, Value};
use super::likeness::{Kind, Likeness};
use crate::meaning::Forbidden;

/// Steps that looking at one rule may take, conditions that it names included.
const MOST_STEPS: usize = 2_000;
/// Bytes of one compiled set of patterns.
const PATTERN_BYTES: usize = 1 << 21;
/// What the model's look at a sentence counts for; it is taken once, whoever asks.
const READING_STEPS: usize = 20;

/// An expression that is known to be sound.
#[derive(Debug)]
pub(super) enum Node {
    Constant(Value<'static>),
    Field(Field),
    Condition(Arc<Compiled>),
    Not(Box<Node>),
    All(Vec<Node>),
    Any(Vec<Node>),
    Compare(Box<Node>, Comparison, Box<Node>),
    /// A text has one of the patterns.
    Patterns(Box<Node>, RegexSet),
    Lower(Box<Node>),
    /// The plain words of a text.
    Plain(Box<Node>),
    Amounts(Box<Node>),
    Count(Box<Node>),
    Argument(String),
    /// How much the sentence reads like that.
    ReadsLike(&'static Likeness, Kind),
    /// How surely it means that.
    Means(Forbidden),
}

/// A whole expression.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) node: Node,
    pub(super) kind: Type,
    steps: usize,
}

/// What is found by name while an expression is compiled.
pub(super) struct Scope<'a> {
    pub(super) file: &'static str,
    pub(super) text: &'a str,
    /// A condition by its name, compiled before.
    pub(super) condition: &'a dyn Fn(&str) -> Option<Arc<Compiled>>,
}

type Made = (Node, Type, usize);

/// Compiles what must be true or false.
pub(super) fn truth(scope: &Scope<'_>, expr: &Expr) -> Result<Compiled, RuleError> {
    let (node, kind, steps) = scope.node(expr)?;
    if kind != Type::Bool {
        return Err(scope.fault(
            expr,
            format!("this is {}, and not true or false", kind.name()),
            "Compare it with something, as in count(action.amounts) > 0.",
        ));
    }
    if steps > MOST_STEPS {
        let fix = format!("A rule takes {MOST_STEPS} steps at most, with all conditions that it names.");
        return Err(scope.fault(expr, "looking at this would take too long", fix));
    }
    Ok(Compiled { node, kind, steps })
}

impl Scope<'_> {
    fn fault(&self, expr: &Expr, message: impl Into<String>, fix: impl Into<String>) -> RuleError {
        RuleError::new(self.file, self.text, expr.at, message, fix)
    }

    fn node(&self, expr: &Expr) -> Result<Made, RuleError> {
        Ok(match &expr.is {
            Is::Bool(value) => (Node::Constant(Value::Bool(*value)), Type::Bool, 1),
            Is::Number(n) => (Node::Constant(Value::Number(*n)), Type::Number, 1),
            Is::Money(cents) => (Node::Constant(Value::Money(*cents)), Type::Money, 1),
            Is::Text(text) => (Node::Constant(Value::Text(text.clone().into())), Type::Text, 1),
            Is::List(all) => self.list(all)?,
            Is::Name(name) => self.name(expr, name)?,
            Is::Call { function, given } => self.call(expr, function, given)?,
            Is::Not(inner) => {
                let (node, _, steps) = self.bool(inner)?;
                (Node::Not(Box::new(node)), Type::Bool, steps + 1)
            }
            Is::All(all) => {
                let (nodes, steps) = self.bools(all)?;
                (Node::All(nodes), Type::Bool, steps)
            }
            Is::Any(all) => {
                let (nodes, steps) = self.bools(all)?;
                (Node::Any(nodes), Type::Bool, steps)
            }
            Is::Compare { left, how, right } => self.compare(expr, left, *how, right)?,
        })
    }

    fn bools(&self, all: &[Expr]) -> Result<(Vec<Node>, usize), RuleError> {
        let made = all.iter().map(|one| self.bool(one)).collect::<Result<Vec<_>, _>>()?;
        let steps = made.iter().map(|(_, _, steps)| steps).sum::<usize>() + 1;
        Ok((made.into_iter().map(|(node, ..)| node).collect(), steps))
    }

    fn bool(&self, expr: &Expr) -> Result<Made, RuleError> {
        let made = self.node(expr)?;
        if made.1 == Type::Bool {
            return Ok(made);
        }
        let fix = "Only what is true or false can be joined with and, or, not: compare it with something.";
        Err(self.fault(expr, format!("this is {}", made.1.name()), fix))
    }

    fn list(&self, all: &[Expr]) -> Result<Made, RuleError> {
        let mut kind = Type::Nothing;
        let mut values = Vec::with_capacity(all.len());
        for one in all {
            let (node, of, _) = self.node(one)?;
            let list = of.list().unwrap_or(Type::Nothing);
            if kind != Type::Nothing && kind != list {
                let fix = "All values of a list are of one kind: texts, numbers or money.";
                return Err(self.fault(one, format!("this is {} in {}", of.name(), kind.name()), fix));
            }
            kind = list;
            if let Node::Constant(value) = node {
                values.push(value);
            }
        }
        let steps = values.len() + 1;
        Ok((Node::Constant(Value::List(values)), kind, steps))
    }

    fn name(&self, expr: &Expr, name: &str) -> Result<Made, RuleError> {
        if let Some((field, kind)) = Field::of(name) {
            return Ok((Node::Field(field), kind, 1));
        }
        if let Some(condition) = (self.condition)(name) {
            let (kind, steps) = (condition.kind, condition.steps.saturating_add(1));
            return Ok((Node::Condition(condition), kind, steps));
        }
        let (what, fix) = if name.contains('.') {
            let like = Field::like(name);
            ("field", format!("Did you mean {like}? The fields are listed in the guide to rules."))
        } else {
            ("condition", format!("Write condition {name} = … in this text, or a text in quotes."))
        };
        Err(self.fault(expr, format!("there is no {what} named {name:?}"), fix))
    }

    fn call(&self, expr: &Expr, function: &str, given: &[Expr]) -> Result<Made, RuleError> {
        const FUNCTIONS: &str = "The functions are words_any([…]), words_any(TEXT, […]), lower(TEXT), amounts(TEXT), count(LIST), argument('NAME'), reads_like('KIND') and means('KIND').";
        let text = |expr: &Expr| match self.node(expr)? {
            (node, Type::Text, steps) => Ok((Box::new(node), steps + 1)),
            (_, kind, _) => {
                Err(self.fault(expr, format!("this is {}, and not a text", kind.name()), FUNCTIONS))
            }
        };
        match (function, given) {
            ("words_any", [patterns]) => {
                let words = Box::new(Node::Field(Field::Words));
                self.patterns(words, 1, patterns, true)
            }
            ("words_any", [of, patterns]) => {
                let (node, steps) = text(of)?;
                match *node {
                    // Plain words, and names.
                    Node::Field(field) if field != Field::Text => self.patterns(node, steps, patterns, true),
                    _ => self.patterns(Box::new(Node::Plain(node)), steps + 4, patterns, true),
                }
            }
            ("lower", [of]) => {
                let (node, steps) = text(of)?;
                Ok((Node::Lower(node), Type::Text, steps))
            }
            ("amounts", [of]) => {
                let (node, steps) = text(of)?;
                Ok((Node::Amounts(node), Type::Monies, steps + 4))
            }
            ("count", [of]) => match self.node(of)? {
                (node, kind, steps) if kind.one().is_some() => {
                    Ok((Node::Count(Box::new(node)), Type::Number, steps + 1))
                }
                (_, kind, _) => {
                    Err(self.fault(of, format!("this is {}, and not a list", kind.name()), FUNCTIONS))
                }
            },
            ("argument", [Expr { is: Is::Text(name), .. }]) => {
                Ok((Node::Argument(name.clone()), Type::Text, 2))
            }
            ("reads_like", [Expr { is: Is::Text(name), .. }]) => {
                let Some(kind) = Kind::of(name) else {
                    let known = Kind::ALL.map(Kind::name).join(", ");
                    let message = format!("nothing is known of the kind {name:?}");
                    return Err(self.fault(expr, message, format!("Write one of: {known}.")));
                };
                let likeness = Likeness::shipped()
                    .map_err(|e| self.fault(expr, e.to_string(), "See the guide to rules."))?;
                Ok((Node::ReadsLike(likeness, kind), Type::Number, READING_STEPS))
            }
            ("means", [Expr { is: Is::Text(name), .. }]) => {
                let Some(kind) = Forbidden::of(name) else {
                    let known = Forbidden::ALL.map(Forbidden::name).join(", ");
                    let message = format!("nothing is known of the kind {name:?}");
                    return Err(self.fault(expr, message, format!("Write one of: {known}.")));
                };
                Ok((Node::Means(kind), Type::Number, 2))
            }
            ("words_any" | "lower" | "amounts" | "count" | "argument" | "reads_like" | "means", _) => {
                Err(self.fault(expr, format!("{function} is given something else"), FUNCTIONS))
            }
            _ => Err(self.fault(expr, format!("there is no function named {function:?}"), FUNCTIONS)),
        }
    }

    fn compare(&self, expr: &Expr, left: &Expr, how: Comparison, right: &Expr) -> Result<Made, RuleError> {
        let (l, left_kind, left_steps) = self.node(left)?;
        if how == Comparison::Matches {
            if left_kind != Type::Text {
                let fix = "matches looks for patterns in a text, as in action.text matches ['…'].";
                return Err(self.fault(left, format!("this is {}, and not a text", left_kind.name()), fix));
            }
            return self.patterns(Box::new(l), left_steps, right, false);
        }
        let (r, right_kind, right_steps) = self.node(right)?;
        let fits = match how {
            Comparison::Equal | Comparison::NotEqual => left_kind == right_kind,
            Comparison::Less | Comparison::AtMost | Comparison::More | Comparison::AtLeast => {
                left_kind == right_kind && matches!(left_kind, Type::Number | Type::Money)
            }
            Comparison::In => {
                right_kind == Type::Nothing && (left_kind.list().is_some() || left_kind.one().is_some())
                    || left_kind == right_kind && left_kind.one().is_some()
                    || right_kind.one() == Some(left_kind)
            }
            Comparison::Contains => {
                (left_kind == Type::Text && right_kind == Type::Text) || left_kind.one() == Some(right_kind)
            }
            Comparison::Matches => true,
        };
        if !fits {
            let message = format!(
                "{} and {} cannot be compared with {}",
                left_kind.name(),
                right_kind.name(),
                how.written()
            );
            let fix = "== and != compare two of a kind; < <= > >= numbers or money; in wants a list on its right; contains a text or a list on its left.";
            return Err(self.fault(expr, message, fix));
        }
        let steps = left_steps + right_steps + 1;
        Ok((Node::Compare(Box::new(l), how, Box::new(r)), Type::Bool, steps))
    }

    /// Patterns over a text: regular expressions, looked for in linear time. Over plain words they stand for whole words,
    /// and `..` for up to four words.
    fn patterns(&self, of: Box<Node>, steps: usize, given: &Expr, plain: bool) -> Result<Made, RuleError> {
        let one = std::slice::from_ref(given);
        let all = match &given.is {
            Is::List(all) => all.as_slice(),
            _ => one,
        };
        let mut patterns = Vec::with_capacity(all.len());
        for pattern in all {
            let Is::Text(text) = &pattern.is else {
                return Err(self.fault(pattern, "this is no pattern", "Patterns are texts in quotes."));
            };
            patterns.push(if plain { whole_words(text) } else { text.clone() });
        }
        let steps = steps + patterns.len() + 1;
        match sound(&patterns) {
            Ok(set) => Ok((Node::Patterns(of, set), Type::Bool, steps)),
            Err(_) => Err(self.unsound(given, all, &patterns)),
        }
    }

    /// Which of these patterns cannot be used.
    fn unsound(&self, given: &Expr, all: &[Expr], patterns: &[String]) -> RuleError {
        for (expr, pattern) in all.iter().zip(patterns) {
            let cause = match sound(std::slice::from_ref(pattern)) {
                Ok(_) => continue,
                Err(regex::Error::CompiledTooBig(_)) => "it is too large",
                Err(_) => "it is no regular expression",
            };
            let fix = format!("Check brackets and signs; {cause}. See the guide to rules.");
            return self.fault(expr, format!("the pattern {expr} cannot be used"), fix);
        }
        self.fault(
            given,
            "these patterns cannot be used together: they are too large",
            "Split them over two rules.",
        )
    }
}

fn sound(patterns: &[String]) -> Result<RegexSet, regex::Error> {
    RegexSetBuilder::new(patterns).size_limit(PATTERN_BYTES).build()
}

/// A pattern of plain words, which have one space between two and none at their ends.
fn whole_words(pattern: &str) -> String {
    // Words are ASCII but for other scripts, and a class of all letters there are would cost a hundred times the memory.
    let gap = pattern.replace(" .. ", "(?: (?-u:[!-~])+){0,4} ");
    let (front, inner) = match gap.strip_prefix('^') {
        Some(rest) => ("^", rest.to_owned()),
        None => ("(?:^| )", gap),
    };
    let (inner, back) = match inner.strip_suffix('$') {
        Some(rest) => (rest.to_owned(), "$"),
        None => (inner, "(?: |$)"),
    };
    format!("{front}(?:{inner}){back}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_of_words_stands_for_whole_words() {
        let set = |p: &str| RegexSet::new([whole_words(p)]).unwrap_or_default();
        assert!(set("sue|suing").is_match("you should sue") && !set("sue").is_match("the issue is sued"));
        assert!(set("^no").is_match("no sir") && !set("^no").is_match("oh no"));
        assert!(set("you should .. sue").is_match("you should in my view sue"));
        assert!(set("you should .. sue").is_match("you should sue"));
        assert!(!set("you should .. sue").is_match("you should a b c d e sue"));
        assert!(set("thanks$").is_match("many thanks") && !set("thanks$").is_match("thanks a lot"));
    }
}
