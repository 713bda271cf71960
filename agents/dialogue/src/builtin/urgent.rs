//! Emergencies: what is said, and what follows. They are heard in both languages, whatever the line speaks.

use std::mem::take;

use pipeline::ports::Language;
use pipeline::turn::Expectation;

use super::emergency::Emergency;
use super::engine::Dialogue;
use super::intent::by_cue;
use super::policy::acts::Steer;
use super::script::Does;
use super::state::{Pending, Stage, State, Task};
use super::step::Effect;
use super::turn::Turn;
use governance::danger::{Level, Reading};
use language::YesNo;
use language::intents::{NONE, QUESTION, Understood, Want};
use language::{Ear, language_of};

/// What is said of one. A line without Spanish needs these in Spanish too.
pub(super) const PROMPTS: &[&str] =
    &["emergency_911", "emergency_988", "emergency_again", "emergency_go", "emergency_now", "emergency_stay"];
/// A shorter answer than this to "Is anyone in danger?" is no request of its own, in words.
const ANSWER: usize = 4;
/// More words than this beside "it's no emergency" tell what the call is about.
const CALLED_OFF: usize = 7;
/// From so much on the head takes the words for business of their own.
const WISH: f32 = 0.6;
/// Thousandths of the words' reading below which a model's turn does not wait for their vector.
const OPEN: u16 = 40;

impl Dialogue {
    /// Whether the words are of an emergency, in any language.
    #[must_use]
    pub fn hears_emergency(&self, text: &str) -> bool {
        [Language::En, Language::Es].iter().any(|l| self.script_in(*l).emergencies.find(text).is_some())
            || self.danger_in(text, None).level() == Level::Sure
    }

    /// What the words are taken for as to danger: how sure that is, the kind where it is known, and a probability. `vector`: theirs,
    /// where there is one.
    #[must_use]
    pub fn danger(&self, text: &str, vector: Option<&[f32]>) -> (Level, Option<String>, f32) {
        let worded =
            [Language::En, Language::Es].iter().find_map(|l| self.script_in(*l).emergencies.find(text));
        if let Some(found) = worded {
            return (Level::Sure, Some(found.kind), 1.0);
        }
        let reading = self.danger_in(text, vector);
        let kind = (reading.level() > Level::No && reading.is_own_hand()).then(|| "self_harm".to_owned());
        (reading.level(), kind, f32::from(reading.now.max(reading.danger)) / 1000.0)
    }

    /// Whether the words alone leave it open what they tell, so that a model's turn waits for their vector.
    #[must_use]
    pub fn may_be_danger(&self, text: &str) -> bool {
        let reading = self.danger.read(text);
        reading.now.max(reading.danger) >= OPEN
    }

    /// What the words are like, unless they name trouble about the house and nothing else.
    fn danger_in(&self, text: &str, vector: Option<&[f32]>) -> Reading {
        let both = [Language::En, Language::Es];
        let nuisance = both.iter().any(|l| self.script_in(*l).emergencies.nuisance(text));
        if nuisance {
            return Reading::default();
        }
        let words = self.danger.read(text);
        let reading = vector.map_or(words.by_words(), |vector| self.sense.read(words, vector));
        // What happened yesterday is asked about first. Not where somebody may take their own life.
        let over = both.iter().any(|l| self.script_in(*l).emergencies.is_of_another_day(text));
        if over && !reading.is_own_hand() { reading.unsure() } else { reading }
    }

    /// Whether the caller is to be asked if anybody is in danger. Amid a task, where what happened was asked for, it takes more.
    pub(super) fn must_ask(&self, state: &State, text: &str, vector: Option<&[f32]>) -> bool {
        let reading = || self.danger_in(text, vector);
        match state.task() {
            None => may_ask(state) && reading().level() >= Level::Likely,
            Some(task) => may_ask_amid(state) && !tells_of_hurt(task) && reading().is_told_aside(),
        }
    }

    /// The same where the words were not heard clearly, and in another hearing of them they tell of sure danger.
    pub(super) fn must_ask_of_others(&self, state: &State, hearings: &[String]) -> bool {
        may_ask(state) && hearings.iter().any(|other| self.danger_in(other, None).level() == Level::Sure)
    }

    /// Whether words are this dialogue's to answer, whoever else talks with the caller: an emergency, what may be one, and
    /// an answer to that question which is not a plain no. `vector`: of the words, where there is one.
    #[must_use]
    pub fn minds_danger(&self, state: &State, text: &str, vector: Option<&[f32]>) -> bool {
        self.danger(text, vector).0 == Level::Sure
            || self.must_ask(state, text, vector)
            || (!state.doubt.is_empty() && self.confirms(state, text, vector))
    }

    /// Whether these words tell of danger without a doubt, whatever is being talked of.
    #[must_use]
    pub fn tells_of_danger(&self, text: &str, vector: Option<&[f32]>) -> bool {
        self.danger(text, vector).0 == Level::Sure
    }

    /// Whether an answer to "Is anyone hurt or in danger right now?", or to being sent to 911, says that somebody is, as far as that was
    /// learned from such answers.
    fn answered(&self, text: &str) -> Option<bool> {
        self.answers.read(text).in_danger(self.danger_in(text, None))
    }

    /// Whether words after being sent to 911 are rather of somebody who is in no danger.
    fn calms(&self, text: &str) -> bool {
        self.answers.read(text).is_rather_no() && self.danger_in(text, None).level() == Level::No
    }

    /// Whether an answer to "Is anyone hurt or in danger right now?" says so.
    fn confirms(&self, state: &State, text: &str, vector: Option<&[f32]>) -> bool {
        let ear = Ear(state.language);
        // "No, he's still not waking up", "goodness, no, dear, Walt passed in March": more than a yes or a no.
        let learned = self.answered(text).filter(|_| !ear.is_bare_yes_no(text));
        if let Some(yes) = learned {
            return yes && !self.is_over_it(state, text);
        }
        match ear.yes_no(text) {
            Some(YesNo::Yes) => !self.is_over_it(state, text),
            Some(YesNo::No) => false,
            None => self.danger_in(text, vector).level() >= Level::Likely,
        }
    }
}

/// Not whoever was just asked for a pen: what is sure danger is heard there, too.
fn may_ask(state: &State) -> bool {
    let writes = state.pending == Some(Pending::Write);
    state.task().is_none() && !writes && may_ask_amid(state)
}

/// It is asked once in a call.
const fn may_ask_amid(state: &State) -> bool {
    !(state.doubted || state.urgent)
}

/// Who was hurt is being told: that is asked about anyway.
fn tells_of_hurt(task: &Task) -> bool {
    matches!(&task.stage, Stage::Slot(id) if id == "injured")
}

impl Dialogue {
    /// "Yes, my husband turned his ankle, but he's fine": somebody was hurt, and is in no danger.
    fn is_over_it(&self, state: &State, text: &str) -> bool {
        let own_hand = |text: &str| self.danger.read(text).is_own_hand();
        let calm = self.script_in(state.language).emergencies.is_calm(text);
        calm && !own_hand(text) && !own_hand(&state.doubt)
    }

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
    /// What the words are like. The vector is that of the whole utterance.
    fn danger_in(&self, text: &str) -> Reading {
        self.dialogue.danger_in(text, self.vector_of(text))
    }

    /// Amid a task there is none: the story of an accident that is filed means what danger means.
    fn vector_of(&self, text: &str) -> Option<&[f32]> {
        self.head.vector.as_deref().filter(|_| text == self.whole && self.state.task().is_none())
    }

    /// Whether it is to be asked if anybody is in danger.
    pub(super) fn must_ask(&self, text: &str) -> bool {
        // "I'll wait, please" is like nothing in particular, and answers what was asked.
        let answers = self.wants_yes_no() && self.ear.plain(text).split(' ').count() <= ANSWER;
        !answers && self.dialogue.must_ask(&self.state, text, self.vector_of(text))
    }

    /// An emergency in the words, and the language in which it was heard.
    pub(super) fn emergency_heard(&self, text: &str) -> Option<(Emergency, Language)> {
        let other = match self.state.language {
            Language::En => Language::Es,
            Language::Es => Language::En,
        };
        let worded = [self.state.language, other].into_iter().find_map(|language| {
            let found = self.dialogue.script_in(language).emergencies.find(text)?;
            Some((found, language))
        });
        let clear = !self.unsure || self.state.doubted;
        worded.or_else(|| {
            let reading = self.surely_danger(text).filter(|_| clear)?;
            Some((in_danger(reading), self.language_of_danger(text)))
        })
    }

    /// Words that were not heard clearly sound like an emergency, in no form of words that leaves no doubt. The caller is
    /// told what to do in one, and asked.
    pub(super) fn may_be_misheard_danger(&self, text: &str) -> bool {
        self.unsure && self.surely_danger(text).is_some()
    }

    /// What the words are like, where that is danger. The story of an accident that is filed reads like one: amid a task
    /// it takes more to be sure.
    fn surely_danger(&self, text: &str) -> Option<Reading> {
        let reading = self.danger_in(text);
        // "He turned his ankle, but he's fine", told when asked whether anybody is in danger.
        let denied =
            || self.dialogue.is_over_it(&self.state, text) || self.dialogue.answered(text) == Some(false);
        if !self.state.doubt.is_empty() && denied() {
            return None;
        }
        let sure = match self.state.task() {
            Some(_) => reading.is_certain(),
            None => reading.level() == Level::Sure,
        };
        sure.then_some(reading)
    }

    /// The language to answer in. Nobody in danger chooses words that leave no doubt, so what the recogniser heard and
    /// Spanish spelling count as well.
    fn language_of_danger(&self, text: &str) -> Language {
        let spelled = text.contains(['á', 'í', 'ó', 'ú', 'ñ', '¿', '¡']).then_some(Language::Es);
        language_of(text).or(self.state.heard).or(spelled).unwrap_or(self.state.language)
    }

    /// Asks whether anybody is in danger, and nothing else. What was said is kept for a no.
    pub(super) fn ask_of_danger(&mut self, text: &str) {
        self.state.doubted = true;
        text.clone_into(&mut self.state.doubt);
        if self.danger_in(text).is_nearly_sure() && !self.state.told_911 {
            self.say("emergency_911");
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
        let thousandths = |score: f32| (score.clamp(0.0, 1.0) * 1000.0) as u16;
        self.state.doubt_wants =
            self.head.wants.iter().map(|want| (want.route.clone(), thousandths(want.score))).collect();
        self.say("emergency_ask");
        self.expects = Expectation::YesNo;
        self.did("emergency", "asks about danger");
    }

    /// The answer to that question: help, or what the caller called for in the first place.
    pub(super) fn answers_doubt(&mut self, text: &str) -> bool {
        if self.state.doubt.is_empty() {
            return false;
        }
        let confirmed = self.dialogue.confirms(&self.state, text, self.vector_of(text));
        let said = take(&mut self.state.doubt);
        let taken_for = take(&mut self.state.doubt_wants);
        if confirmed {
            let reading = self.dialogue.danger.read(&format!("{said} {text}"));
            self.emergency(&in_danger(reading), self.state.language);
            return true;
        }
        let plain = self.ear.plain(text);
        match self.ear.yes_no(text) {
            // "No, but how long until you fix it?" is a no, and no question about danger.
            answer if answer == Some(YesNo::No) || plain.starts_with("no ") => {
                self.recall(&said, taken_for);
                self.route(&said);
                return true;
            }
            Some(YesNo::Yes) => {
                self.say("emergency_unless");
                let whole = format!("{said} {text}");
                self.recall(&whole, taken_for);
                self.harmed = true;
                self.route(&whole);
                return true;
            }
            _ => {}
        }
        // Neither a yes nor a no: what to do if it is one is said, and then the caller's own matter goes on.
        self.say("emergency_unless");
        // "Forget it, goodbye" is short, and no answer.
        let steers = self.script.acts.steer(self.ear, text) != Steer::None || self.gives_up_in(text);
        let short = !steers && !self.says_bye(text) && plain.split(' ').count() < ANSWER;
        let wish = self.ear.is_question(text) || by_cue(self.script, text).is_some();
        // "Lord, no, nothing like that": a no that wants nothing of its own.
        let denies = self.dialogue.answered(text) == Some(false) && !wish && self.is_idle(text);
        if short || denies {
            self.recall(&said, taken_for);
            self.route(&said);
        } else if steers || wish || self.says_bye(text) {
            self.route(text);
        } else {
            // "Twenty-two Pine Street, by the school" goes on with what was told.
            let whole = format!("{} {text}", said.trim_end_matches('.'));
            self.recall(&whole, taken_for);
            self.route(&whole);
        }
        true
    }

    /// Takes up words of an earlier turn, with what they were taken for then.
    fn recall(&mut self, said: &str, taken_for: Vec<(String, u16)>) {
        said.clone_into(&mut self.heard);
        let want = |(route, score)| Want { route, score: f32::from(score) / 1000.0 };
        self.head = Understood { wants: taken_for.into_iter().map(want).collect(), ..Understood::default() };
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
            self.say_in(language, "emergency_now", &[], false);
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
        if self.takes_person_in_emergency(text) {
            return true;
        }
        let (ear, cues) = (self.ear, self.ear.cues());
        let plain = ear.plain(text);
        let says = |list: &[&str]| list.iter().any(|phrase| plain.contains(phrase));
        let no = ear.yes_no(text) == Some(YesNo::No) || plain.starts_with("no ");
        // "No, nobody is hurt" calls it off. "No, my mom isn't home" does not: whoever cannot or will not call is told again.
        let words = plain.split(' ').count();
        // "She doesn't want an ambulance, she says it's just she's tired", "can't you just send the fire truck".
        // What holds them back is answered, and sends them there again.
        let again = match (says(cues.fears_language), says(cues.rather_waits)) {
            (true, _) => "emergency_interpreter",
            (_, true) => "emergency_wait",
            _ => "emergency_again",
        };
        if says(cues.wants_us_to_help) {
            self.sends_again(again, text);
            return true;
        }
        let learned = self.dialogue.answered(text).filter(|_| !ear.is_bare_yes_no(text));
        if says(cues.no_emergency) || (no && words <= ANSWER) || learned == Some(false) {
            self.say("emergency_over");
            // "What, no, it's just loud music, I want to file a complaint": what they called for comes with it.
            let more = words > CALLED_OFF || learned == Some(false) && !self.is_idle(text);
            if self.state.task().is_none() && more && self.danger_in(text).level() == Level::No {
                self.after_emergency = false;
                self.state.urgent = false;
                self.route(text);
            } else {
                self.resume_or_more();
            }
            return true;
        }
        // "Okay, I'll call them": the right thing, and to be done now.
        if says(cues.will_call) && !says(cues.wont_call) && !ear.is_question(text) {
            self.say("emergency_go");
            self.state.emergency = true;
            return true;
        }
        let other = by_cue(self.script, text).is_some_and(|cue| matches!(cue.intent.does, Does::Task(_)));
        // "No, she just has bad knees, I only want to know about jury duty" was never in danger, and is served.
        let wish = self
            .head
            .want()
            .is_some_and(|want| want.score >= WISH && want.route != NONE && want.route != "incident");
        // "But he isn't in pain and we have no insurance, do they charge for the ambulance?" asks, and is in danger still.
        let wish = wish && self.dialogue.calms(text);
        let goes_on = no && !other && !wish && !self.ear.is_question(text);
        // "Should I get him out first?" is no question for a page.
        let begins = wish && self.head.want().is_some_and(|want| want.route != QUESTION);
        let lost = ear.is_question(text) && !other && !begins && (!wish || self.passage(text).is_none());
        let held_back = again != "emergency_again" && !says(cues.will_call) || learned == Some(true);
        // Neither a no nor anything else that can be served: whoever goes on about it is in danger still. Told so twice in a row,
        // nobody is helped by a third time.
        let uneasy = !self.dialogue.calms(text) && !other && !self.says_bye(text) && !self.was_sent_again();
        if ear.is_bare_yes_no(text) || says(cues.what_to_do) || goes_on || lost || held_back || uneasy {
            self.sends_again(again, text);
            return true;
        }
        false
    }
}

impl Turn<'_> {
    /// Whether the last reply sent the caller to 911 once more.
    fn was_sent_again(&self) -> bool {
        let again = self.worded("emergency_again");
        self.state.last.iter().any(|say| again.contains(&say.text))
    }
}

/// What a reading that is sure, or was confirmed, is called.
fn in_danger(reading: Reading) -> Emergency {
    let lifeline = reading.is_own_hand();
    Emergency { kind: if lifeline { "suicide" } else { "danger" }.to_owned(), lifeline }
}
