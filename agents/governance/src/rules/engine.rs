//! Looks at a proposed action with a compiled expression. Cannot fail, cannot loop, and takes a bounded number of steps,
//! each linear in the length of the text.

use super::amounts;
use super::ast::Comparison;
use super::compile::Node;
use super::fields::{Proposed, Value};
use super::plain::{folded, words};
use super::tokens::cut;

/// Whether an expression holds for an action.
pub(super) fn holds(node: &Node, action: &Proposed<'_>) -> bool {
    value(node, action) == Value::Bool(true)
}

pub(super) fn value<'a>(node: &'a Node, action: &'a Proposed<'_>) -> Value<'a> {
    match node {
        Node::Constant(constant) => borrowed(constant),
        Node::Field(field) => action.get(*field),
        Node::Condition(condition) => value(&condition.node, action),
        Node::Not(inner) => Value::Bool(!holds(inner, action)),
        Node::All(all) => Value::Bool(all.iter().all(|one| holds(one, action))),
        Node::Any(all) => Value::Bool(all.iter().any(|one| holds(one, action))),
        Node::Compare(left, how, right) => Value::Bool(compare(left, *how, right, action)),
        Node::Patterns(of, set) => {
            Value::Bool(matches!(value(of, action), Value::Text(text) if set.is_match(&text)))
        }
        Node::Lower(of) => match value(of, action) {
            Value::Text(text) => Value::Text(folded(&text).into()),
            other => other,
        },
        Node::Plain(of) => match value(of, action) {
            Value::Text(text) => Value::Text(words(&text).into()),
            other => other,
        },
        Node::Amounts(of) => match value(of, action) {
            Value::Text(text) => {
                Value::List(amounts::money(&cut(&text)).into_iter().map(Value::Money).collect())
            }
            other => other,
        },
        Node::Count(of) => match value(of, action) {
            Value::List(all) => Value::Number(i64::try_from(all.len()).unwrap_or(i64::MAX / 1000) * 1000),
            other => other,
        },
        Node::Means(kind) => Value::Number(action.meant.map_or(0, |meant| i64::from(meant.of(*kind)))),
        Node::ReadsLike(likeness, kind) => Value::Number(action.reading(likeness).of(*kind)),
        Node::Argument(name) => {
            let found = action.tool.and_then(|tool| tool.arguments?.get(name.as_str()));
            Value::Text(match found {
                Some(serde_json::Value::String(text)) => text.as_str().into(),
                Some(serde_json::Value::Null) | None => "".into(),
                Some(other) => other.to_string().into(),
            })
        }
    }
}

/// A constant without a copy of its texts.
fn borrowed<'a>(constant: &'a Value<'static>) -> Value<'a> {
    match constant {
        Value::Bool(b) => Value::Bool(*b),
        Value::Number(n) => Value::Number(*n),
        Value::Money(n) => Value::Money(*n),
        Value::Text(text) => Value::Text(text.as_ref().into()),
        Value::List(all) => Value::List(all.iter().map(borrowed).collect()),
    }
}

fn compare(left: &Node, how: Comparison, right: &Node, action: &Proposed<'_>) -> bool {
    let left = value(left, action);
    if how == Comparison::In && matches!(&left, Value::List(all) if all.is_empty()) {
        return true;
    }
    let right = value(right, action);
    let size = |value: &Value<'_>| match value {
        Value::Number(n) | Value::Money(n) => *n,
        _ => 0,
    };
    match how {
        Comparison::Equal => left == right,
        Comparison::NotEqual => left != right,
        Comparison::Less => size(&left) < size(&right),
        Comparison::AtMost => size(&left) <= size(&right),
        Comparison::More => size(&left) > size(&right),
        Comparison::AtLeast => size(&left) >= size(&right),
        Comparison::In => match (&left, &right) {
            (Value::List(each), Value::List(all)) => each.iter().all(|one| all.contains(one)),
            (one, Value::List(all)) => all.contains(one),
            _ => false,
        },
        Comparison::Contains => match (&left, &right) {
            (Value::Text(text), Value::Text(part)) => text.contains(part.as_ref()),
            (Value::List(all), one) => all.contains(one),
            _ => false,
        },
        Comparison::Matches => false,
    }
}
