//! The weights of the tagger, with the word lists that they were trained with.

use std::fmt;
use std::sync::LazyLock;

use super::features::{self, BITS, Context};
use super::lexicon::Lexicon;
use super::token::Token;
use crate::field::{self, Field, Steps};

/// First bytes of a weights' file; the digit is the version of the features.
const MAGIC: &[u8; 8] = b"QTAGGER1";
/// Rows of the table.
pub const ROWS: usize = 1 << BITS;
/// Labels: none; first and further tokens of a name; of an address.
pub const LABELS: usize = 5;

/// Scores by label, for one token.
pub type Row = field::Row<LABELS>;

/// A weights' file that is not one of ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WeightsError(usize);

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the weights of the tagger ({} bytes) do not fit this version: train them again with `cargo run --release -p language --example train_tagger`",
            self.0
        )
    }
}

impl std::error::Error for WeightsError {}

/// Trained weights with the word lists that they were trained with.
#[derive(Debug)]
pub struct Model {
    field: Field<LABELS>,
    lexicon: Lexicon,
}

static SHIPPED: LazyLock<Result<Model, WeightsError>> =
    LazyLock::new(|| Model::from_bytes(include_bytes!("../../data/tagger/weights.bin")));

impl Model {
    /// The one model of this process.
    ///
    /// # Errors
    /// When the shipped weights do not fit the code.
    pub fn shipped() -> Result<&'static Self, WeightsError> {
        SHIPPED.as_ref().map_err(Clone::clone)
    }

    /// The word lists.
    #[must_use]
    pub const fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// Log odds of each label and token, from the token's features alone.
    #[must_use]
    pub fn scores(&self, tokens: &[Token], context: &Context) -> Vec<Row> {
        (0..tokens.len())
            .map(|at| {
                let mut sum = self.field.sum();
                features::each(tokens, context, at, |feature| sum.add(feature));
                sum.row()
            })
            .collect()
    }

    /// Scores of steps.
    #[must_use]
    pub const fn steps(&self) -> &Steps<LABELS> {
        self.field.steps()
    }

    /// Reads a weights' file.
    ///
    /// # Errors
    /// When it is cut short, of another version, or holds numbers that are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        read(bytes).ok_or(WeightsError(bytes.len()))
    }

    /// A weights' file.
    #[must_use]
    pub fn to_bytes(field: &Field<LABELS>, lexicon: &Lexicon) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        field.write_head(&mut out);
        lexicon.write(&mut out);
        field.write_weights(&mut out);
        out
    }
}

fn read(bytes: &[u8]) -> Option<Model> {
    let (scale, steps, rest) = Field::head(bytes.strip_prefix(MAGIC)?)?;
    let (lexicon, weights) = Lexicon::read(rest)?;
    let weights = weights.iter().map(|byte| byte.cast_signed()).collect();
    let field = Field::new(weights, scale, steps).filter(|field| field.rows() == ROWS)?;
    Some(Model { field, lexicon })
}
