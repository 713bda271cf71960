//! Why a rule forbids an action, in words: what it asked for, and what it found instead.

use super::ast::{Expr, Is, money, number};
use super::fields::{Field, Proposed, Value};

/// Fields that are shown of one requirement.
const MOST_FIELDS: usize = 4;
/// Characters of one value.
const LONGEST: usize = 120;

/// What the requirement found in the fields that it names.
pub(super) fn found(requirement: &Expr, action: &Proposed<'_>) -> String {
    let mut fields = Vec::new();
    named(requirement, &mut fields);
    let shown: Vec<String> = fields
        .into_iter()
        .take(MOST_FIELDS)
        .filter_map(|name| Field::of(name).map(|(field, _)| (name, field)))
        .map(|(name, field)| format!("{name} is {}", shown(&action.get(field))))
        .collect();
    if shown.is_empty() { String::new() } else { format!("Found: {}.", shown.join("; ")) }
}

/// Whether an expression asks what the sentence means.
pub(super) fn asks_meaning(expr: &Expr) -> bool {
    match &expr.is {
        Is::Call { function, .. } => function == "means",
        Is::Not(inner) => asks_meaning(inner),
        Is::All(all) | Is::Any(all) | Is::List(all) => all.iter().any(asks_meaning),
        Is::Compare { left, right, .. } => asks_meaning(left) || asks_meaning(right),
        _ => false,
    }
}

fn named<'a>(expr: &'a Expr, into: &mut Vec<&'a str>) {
    match &expr.is {
        Is::Name(name) if !into.contains(&name.as_str()) => into.push(name),
        Is::Not(inner) => named(inner, into),
        Is::All(all) | Is::Any(all) => all.iter().for_each(|one| named(one, into)),
        Is::Call { given, .. } => given.iter().for_each(|one| named(one, into)),
        Is::Compare { left, right, .. } => {
            named(left, into);
            named(right, into);
        }
        _ => {}
    }
}

fn shown(value: &Value<'_>) -> String {
    let whole = match value {
        Value::Bool(value) => value.to_string(),
        Value::Number(n) => number(*n),
        Value::Money(cents) => money(*cents),
        Value::Text(text) => format!("'{text}'"),
        Value::List(all) if all.is_empty() => "empty".to_owned(),
        Value::List(all) => all.iter().map(shown).collect::<Vec<_>>().join(", "),
    };
    if whole.chars().count() <= LONGEST {
        return whole;
    }
    whole.chars().take(LONGEST).chain("…".chars()).collect()
}
