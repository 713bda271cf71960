//! A rule and its expressions as they are written. [`Expr`] shows as the text that reads back as itself.

use std::fmt;

/// An expression, with its place in the text.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) is: Is,
    /// Bytes from the beginning of the text.
    pub(super) at: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Is {
    Bool(bool),
    /// In thousandths.
    Number(i64),
    /// In cents.
    Money(i64),
    Text(String),
    List(Vec<Expr>),
    /// A field, or a named condition.
    Name(String),
    Call {
        function: String,
        given: Vec<Expr>,
    },
    Not(Box<Expr>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Compare {
        left: Box<Expr>,
        how: Comparison,
        right: Box<Expr>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    More,
    AtLeast,
    /// A value is in a list; of a list: each of its values is.
    In,
    Contains,
    Matches,
}

impl Comparison {
    pub(super) const ALL: [(Self, &'static str); 9] = [
        (Self::Equal, "=="),
        (Self::NotEqual, "!="),
        (Self::Less, "<"),
        (Self::AtMost, "<="),
        (Self::More, ">"),
        (Self::AtLeast, ">="),
        (Self::In, "in"),
        (Self::Contains, "contains"),
        (Self::Matches, "matches"),
    ];

    pub(super) fn written(self) -> &'static str {
        Self::ALL.iter().find(|(how, _)| *how == self).map_or("", |(_, written)| written)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.is {
            Is::Bool(value) => write!(f, "{value}"),
            Is::Number(thousandths) => f.write_str(&number(*thousandths)),
            Is::Money(cents) => f.write_str(&money(*cents)),
            Is::Text(text) if text.contains('\'') => write!(f, "\"{text}\""),
            Is::Text(text) => write!(f, "'{text}'"),
            Is::List(all) => {
                f.write_str("[")?;
                separated(f, all, ", ")?;
                f.write_str("]")
            }
            Is::Name(name) => f.write_str(name),
            Is::Call { function, given } => {
                write!(f, "{function}(")?;
                separated(f, given, ", ")?;
                f.write_str(")")
            }
            Is::Not(inner) => write!(f, "not {}", Part(inner)),
            Is::All(all) => bracketed(f, all, " and "),
            Is::Any(all) => bracketed(f, all, " or "),
            Is::Compare { left, how, right } => {
                write!(f, "{} {} {}", Part(left), how.written(), Part(right))
            }
        }
    }
}

/// A part of a larger expression, in brackets where it needs them.
struct Part<'a>(&'a Expr);

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.is {
            Is::Not(_) | Is::Compare { .. } => write!(f, "({})", self.0),
            _ => write!(f, "{}", self.0),
        }
    }
}

fn separated(f: &mut fmt::Formatter<'_>, all: &[Expr], with: &str) -> fmt::Result {
    for (n, one) in all.iter().enumerate() {
        if n > 0 {
            f.write_str(with)?;
        }
        write!(f, "{one}")?;
    }
    Ok(())
}

fn bracketed(f: &mut fmt::Formatter<'_>, all: &[Expr], with: &str) -> fmt::Result {
    f.write_str("(")?;
    separated(f, all, with)?;
    f.write_str(")")
}

/// `$7`, `$7.50`.
pub(super) fn money(cents: i64) -> String {
    match cents % 100 {
        0 => format!("${}", cents / 100),
        rest => format!("${}.{rest:02}", cents / 100),
    }
}

/// `12`, `2.4`.
pub(super) fn number(thousandths: i64) -> String {
    let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A rule as it is written.
#[derive(Clone, Debug)]
pub(super) struct RuleText {
    pub(super) id: String,
    pub(super) at: usize,
    pub(super) keys: Vec<(Key, usize, Given)>,
}

/// What a key is given.
#[derive(Clone, Debug)]
pub(super) enum Given {
    Text(String),
    Word(String),
    Expr(Expr),
}

macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident = $written:literal),+ $(,)?) => {
        /// What a rule says of itself.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Key {
            $($(#[$doc])* $name),+
        }

        impl Key {
            pub(super) const ALL: &'static [(Self, &'static str)] = &[$((Self::$name, $written)),+];

            pub(super) fn of(written: &str) -> Option<Self> {
                Self::ALL.iter().find(|(_, w)| *w == written).map(|(key, _)| *key)
            }

            pub(super) fn written(self) -> &'static str {
                Self::ALL.iter().find(|(key, _)| *key == self).map_or("", |(_, written)| written)
            }
        }
    };
}

keys! {
    Name = "name",
    Category = "category",
    Description = "description",
    Citation = "citation",
    AppliesTo = "applies_to",
    Condition = "condition",
    Requirement = "requirement",
    Action = "action",
    UnlessRule = "unless_rule",
    DropsRest = "drops_rest",
    ExplanationEn = "explanation_en",
    ExplanationEs = "explanation_es",
    ReplacementEn = "replacement_en",
    ReplacementEs = "replacement_es",
    /// Instead of the replacement where something published stands for what was blocked: `{published}` is put in.
    PublishedEn = "published_en",
    PublishedEs = "published_es",
}

/// A condition that rules may name.
#[derive(Clone, Debug)]
pub(super) struct ConditionText {
    pub(super) name: String,
    pub(super) at: usize,
    pub(super) expr: Expr,
}

/// What may be spoken as configured.
#[derive(Clone, Default, Debug)]
pub(super) struct ConstantsText {
    /// Cents.
    pub(super) money: Vec<i64>,
    /// Thousandths.
    pub(super) percents: Vec<i64>,
    pub(super) phones: Vec<String>,
    pub(super) links: Vec<String>,
    pub(super) texts: Vec<String>,
}

/// One text of rules.
#[derive(Clone, Default, Debug)]
pub(super) struct FileText {
    pub(super) rules: Vec<RuleText>,
    pub(super) conditions: Vec<ConditionText>,
    pub(super) constants: ConstantsText,
}
