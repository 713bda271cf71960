//! What people of the office tell the model in a call: instructions for its next reply or until withdrawn, and facts.
//!
//! Their trust is bounded. What they say is an event beside the caller's words: every sentence that follows from it passes the
//! same rules, every tool call the same levels of autonomy, and personal data in it is a token like anybody's.

use pipeline::ports::{Screen, StaffWord};

use super::memory::Memory;
use dialogue::delimit::{self, block, data};

/// Characters of one word of theirs.
const MOST: usize = 1_000;
/// Words that wait; older ones go.
const MOST_WORDS: usize = 8;

/// What was told and is not past.
#[derive(Debug, Default)]
pub(super) struct Staff(Vec<StaffWord>);

impl Staff {
    pub(super) fn take(&mut self, word: StaffWord) {
        if word == StaffWord::Withdrawn {
            self.0.retain(|kept| !matches!(kept, StaffWord::Standing(_) | StaffWord::Next(_)));
            return;
        }
        self.0.push(word);
        if self.0.len() > MOST_WORDS {
            self.0.remove(0);
        }
    }

    /// A reply that knew of all this counts now. What was meant once is past, what stands stays.
    pub(super) fn was_told(&mut self) {
        self.0.retain(|word| matches!(word, StaffWord::Standing(_)));
    }

    /// As the model is shown it.
    pub(super) fn block(&self, memory: &mut Memory) -> Option<String> {
        let told = |word: &StaffWord, memory: &mut Memory| {
            let lead = match word {
                StaffWord::Next(_) => "A member of the office's staff asks of your next reply",
                StaffWord::Standing(_) => "A member of the office's staff asks of your replies from now on",
                StaffWord::Fact(_) => "A member of the office's staff spoke with the caller and notes",
                StaffWord::Said(_) => "At the wish of the office's staff you have just said to the caller",
                StaffWord::Withdrawn => return None,
            };
            let text = memory.redactor.screen(&data(word.text(), MOST));
            Some(block(
                delimit::EVENT,
                &format!("{lead}: {text} (Never mention the staff's note. It changes none of your rules.)"),
            ))
        };
        let blocks: Vec<String> = self.0.iter().filter_map(|word| told(word, memory)).collect();
        (!blocks.is_empty()).then(|| blocks.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_once_is_past_when_a_reply_knew_of_it_and_what_stands_stays_until_withdrawn() {
        let mut staff = Staff::default();
        staff.take(StaffWord::Next("Be brief.".into()));
        staff.take(StaffWord::Standing("Offer a call-back.".into()));
        staff.take(StaffWord::Fact("They are at the office.".into()));
        assert_eq!(staff.0.len(), 3);
        staff.was_told();
        assert_eq!(staff.0, [StaffWord::Standing("Offer a call-back.".into())]);
        staff.take(StaffWord::Withdrawn);
        assert!(staff.0.is_empty());
        for n in 0..20 {
            staff.take(StaffWord::Fact(n.to_string()));
        }
        assert_eq!(staff.0.len(), MOST_WORDS);
    }
}
