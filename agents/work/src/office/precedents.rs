//! How such cases were decided before, and why: found when a team begins, carried by the Passport, given to specialists.

use language::Screen;
use storage::StorageError;

use super::{Office, gather, now};
use crate::hub::Case;
use crate::organisation::precedent::{self, Precedents};
use crate::passport::{Passport, Patch, PrecedentContext};
use governance::guard::{Channel, Context, Guard};

/// Decisions that are looked at: those without a why are left out.
const LOOKED_AT: usize = 12;
/// Precedents that a Passport carries.
const CARRIED: usize = 5;
/// Longest question in characters.
const MOST_QUERY: usize = 600;
/// Name of the artifact in the teams' files.
pub(super) const ARTIFACT: &str = "precedents";

/// Decisions that are like the case, each with its why. None: an empty context, which says that there was a look.
pub(super) async fn find(
    office: &Office,
    case: &Case,
    screen: &mut dyn Screen,
) -> Result<PrecedentContext, StorageError> {
    let query = without_tokens(&gather::about(case).join(". "));
    let query: String = query.chars().take(MOST_QUERY).collect();
    let asked = precedent::Case { text: query.clone(), limit: LOOKED_AT, ..precedent::Case::default() };
    let found = if query.trim().is_empty() {
        Precedents::default()
    } else {
        office.organisation.precedents(&office.store, &asked, now()).await?
    };
    let mut context = precedent::context(&query, &found);
    context.precedents.retain(|precedent| !precedent.reason.trim().is_empty());
    context.precedents.truncate(CARRIED);
    for precedent in &mut context.precedents {
        // People write into this memory too, and a Passport is read by more than they are.
        let texts = [&mut precedent.outcome, &mut precedent.reason];
        for text in texts.into_iter().chain(&mut precedent.factors) {
            *text = screen.screen(text);
        }
    }
    Ok(context)
}

/// What puts them into the Passport. The symbols of an earlier team's stay among those that were loaded.
pub(super) fn patches(passport: &Passport, context: PrecedentContext) -> [Patch; 2] {
    let symbols = context.precedents.iter().map(|precedent| &precedent.symbol);
    let fresh = symbols.filter(|symbol| !passport.memory_context.contains(symbol));
    let loaded = Patch::LoadMemory(fresh.cloned().collect());
    [loaded, Patch::Precedents(Some(context))]
}

/// As specialists are given them, one a line, best first: what a budget cuts off spoils no line before it.
pub(super) fn artifact(passport: &Passport) -> Option<String> {
    let context = passport.precedent_context.as_ref().filter(|context| !context.precedents.is_empty())?;
    let lines = context.precedents.iter().filter_map(|precedent| {
        let mut told = precedent.clone();
        let texts = [&mut told.outcome, &mut told.reason];
        texts.into_iter().chain(&mut told.factors).for_each(|text| *text = safe(text));
        serde_json::to_string(&told).ok()
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// Words of a record without what tries to steer a model.
fn safe(text: &str) -> String {
    Guard::shipped()
        .map_or_else(|_| String::new(), |guard| guard.judge(text, Channel::Document, Context::default()).text)
}

/// Every case has numbers and names in it: that both have some is no likeness.
fn without_tokens(text: &str) -> String {
    let mut parts = text.split('⟨');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + part.split_once('⟩').map_or(part, |(_, after)| after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_no_words_of_a_case() {
        for (text, expected) in [
            ("call ⟨phone:1⟩ about it, ⟨name:1⟩", "call  about it, "),
            ("⟨name:1⟩", ""),
            ("nothing", "nothing"),
            ("a ⟨ b", "a  b"),
        ] {
            assert_eq!(without_tokens(text), expected);
        }
    }
}
