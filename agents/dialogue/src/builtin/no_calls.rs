//! Whoever we called wants no more calls. It is a fixed word of every call that we placed, in both languages at any moment: no model
//! answers it, and it is on the list before it is confirmed.

use language::Ear;
use pipeline::ports::{AfterReply, Language};

use super::engine::Dialogue;
use super::state::State;
use super::step::Effect;
use super::turn::Turn;

impl Dialogue {
    /// Whether whoever we called says that they want no more calls, and in which language.
    #[must_use]
    pub fn hears_no_calls(&self, state: &State, text: &str) -> Option<Language> {
        if !state.outbound {
            return None;
        }
        let other = match state.language {
            Language::En => Language::Es,
            Language::Es => Language::En,
        };
        let said = |language: &Language| self.script_in(*language).acts.wants_no_calls(Ear(*language), text);
        [state.language, other].into_iter().find(said)
    }
}

impl Turn<'_> {
    pub(super) fn no_more_calls(&mut self, language: Language, source: &str) {
        self.did("no_calls", "opted out");
        self.effects.push(Effect::StopCalls { source: source.to_owned() });
        if language != self.state.language && self.state.speaks(language) {
            self.speak(language);
        }
        // What they told us is kept. A callback that they were asking for is not what they want any more.
        self.state.later.clear();
        self.state.tasks.retain(|task| !matches!(task.id.as_str(), "person" | "other_language"));
        self.file_unfinished();
        self.say_promise(self.worded("outreach_stopped"), "outreach_stopped", &[]);
        self.then = AfterReply::HangUp;
    }
}
