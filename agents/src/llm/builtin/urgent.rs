//! Emergencies: what is said, and what follows. They are heard in both languages, whatever the line speaks.

use pipeline::ports::Language;

use super::emergency::Emergency;
use super::engine::Dialogue;
use super::hear::answer::YesNo;
use super::step::Effect;
use super::turn::Turn;

/// What is said of one. A line without Spanish needs these in Spanish too.
pub(super) const PROMPTS: &[&str] = &["emergency_911", "emergency_988", "emergency_stay", "emergency_again"];

impl Dialogue {
    /// Whether the words are of an emergency, in any language.
    #[must_use]
    pub fn hears_emergency(&self, text: &str) -> bool {
        [Language::En, Language::Es].iter().any(|l| self.script_in(*l).emergencies.find(text).is_some())
    }
}

impl Dialogue {
    /// What a reply of somebody else (a model) must be followed by, the first time in a call that it does not help.
    #[must_use]
    pub fn owed_to_unhelped(&self, language: Language, reply: &str, served: bool) -> Option<&str> {
        let script = self.script_in(language);
        let notice = script.prompt("emergency_911").first()?;
        let told = reply.contains("911") || reply.contains("9 1 1");
        (!told && script.emergencies.unhelped(reply, served)).then_some(notice)
    }
}

impl Turn<'_> {
    /// An emergency in the words, and the language in which it was heard.
    pub(super) fn emergency_heard(&self, text: &str) -> Option<(Emergency, Language)> {
        let other = match self.state.language {
            Language::En => Language::Es,
            Language::Es => Language::En,
        };
        [self.state.language, other].into_iter().find_map(|language| {
            let found = self.dialogue.script_in(language).emergencies.find(text)?;
            Some((found, language))
        })
    }

    /// Says where help is. In the language in which it was asked for, and in the conversation's too where the line
    /// cannot go on in that one.
    pub(super) fn emergency(&mut self, found: &Emergency, language: Language) {
        if language != self.state.language && self.state.speaks(language) {
            self.change_over(language);
        }
        let again = self.state.urgent;
        for language in [language, self.state.language] {
            self.send_for_help(found, language, again);
            if language == self.state.language {
                break;
            }
        }
        self.state.emergency = true;
        self.state.urgent = true;
        self.effects.push(Effect::MarkUrgent { kind: found.kind.clone() });
        self.did("emergency", "sent to 911");
    }

    fn send_for_help(&mut self, found: &Emergency, language: Language, again: bool) {
        if found.lifeline {
            self.say_in(language, "emergency_988", &[], false);
        } else if again {
            self.say_in(language, "emergency_again", &[], false);
        } else {
            self.say_in(language, "emergency_911", &[], false);
        }
        if !again || found.lifeline {
            self.say_in(language, "emergency_stay", &[], true);
        }
    }

    /// Nine, one, one on the keys.
    pub(super) fn emergency_keyed(&mut self) {
        let found = Emergency { kind: "asked".to_owned(), lifeline: false };
        self.emergency(&found, self.state.language);
    }

    /// What follows an emergency: it was none, or it still is one.
    pub(super) fn after_emergency(&mut self, text: &str) -> bool {
        let (ear, cues) = (self.ear, self.ear.cues());
        let plain = ear.plain(text);
        let says = |list: &[&str]| list.iter().any(|phrase| plain.contains(phrase));
        if says(cues.no_emergency) || ear.yes_no(text) == Some(YesNo::No) {
            self.say("emergency_over");
            self.resume_or_more();
            return true;
        }
        if ear.is_bare_yes_no(text) || says(cues.what_to_do) {
            self.say("emergency_again");
            self.state.emergency = true;
            return true;
        }
        false
    }
}
