//! How values that hold a caller's words look in a log or a failed assertion: shapes and counts, never the words.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use serde_json::Value;

/// What is told of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Nothing,
    Chars(usize),
    Items(usize),
    /// What it is, and its characters.
    Kind(&'static str, usize),
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("none"),
            Self::Chars(n) => write!(f, "{n} chars"),
            Self::Items(n) => write!(f, "{n} items"),
            Self::Kind(kind, n) => write!(f, "{kind}, {n} chars"),
        }
    }
}

/// A value of which only the shape is told.
pub trait Shape {
    fn shape(&self) -> Shown;
}

impl<T: Shape + ?Sized> Shape for &T {
    fn shape(&self) -> Shown {
        (**self).shape()
    }
}

impl Shape for str {
    fn shape(&self) -> Shown {
        Shown::Chars(self.chars().count())
    }
}

impl Shape for String {
    fn shape(&self) -> Shown {
        self.as_str().shape()
    }
}

impl Shape for Cow<'_, str> {
    fn shape(&self) -> Shown {
        (**self).shape()
    }
}

impl Shape for Cow<'_, Value> {
    fn shape(&self) -> Shown {
        (**self).shape()
    }
}

impl<T: Shape> Shape for Option<T> {
    fn shape(&self) -> Shown {
        self.as_ref().map_or(Shown::Nothing, Shape::shape)
    }
}

impl<T> Shape for Vec<T> {
    fn shape(&self) -> Shown {
        Shown::Items(self.len())
    }
}

impl<K, V> Shape for BTreeMap<K, V> {
    fn shape(&self) -> Shown {
        Shown::Items(self.len())
    }
}

impl<T> Shape for BTreeSet<T> {
    fn shape(&self) -> Shown {
        Shown::Items(self.len())
    }
}

impl<K, V> Shape for HashMap<K, V> {
    fn shape(&self) -> Shown {
        Shown::Items(self.len())
    }
}

impl<T> Shape for HashSet<T> {
    fn shape(&self) -> Shown {
        Shown::Items(self.len())
    }
}

impl Shape for Value {
    fn shape(&self) -> Shown {
        match self {
            Self::Null => Shown::Nothing,
            Self::Bool(_) => Shown::Kind("bool", 1),
            Self::Number(_) => Shown::Kind("number", 1),
            Self::String(text) => text.shape(),
            Self::Array(items) => Shown::Items(items.len()),
            Self::Object(fields) => Shown::Items(fields.len()),
        }
    }
}

/// `Debug` of a struct: the fields before the semicolon as they are, of those after it the shape alone.
#[macro_export]
macro_rules! shown {
    ($type:ty, $name:literal: $($plain:ident),*; $($shape:ident),*) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut shown = f.debug_struct($name);
                $(shown.field(stringify!($plain), &self.$plain);)*
                $(shown.field(stringify!($shape), &$crate::shown::Shape::shape(&self.$shape));)*
                shown.finish()
            }
        }
    };
}
