//! Is the caller interrupting, or only listening aloud?

use std::time::Duration;

use super::config::SessionConfig;
use super::endpointing::words;

/// What is known of sound over our reply.
#[derive(Clone, Copy, Debug)]
pub struct OverTalk<'a> {
    /// Speech so far, without the silence after it.
    pub speech: Duration,
    /// How long our reply had been audible when the sound began.
    pub reply_age: Duration,
    /// It may go on with the turn before: the reply answers half a thought then.
    pub rejoins: bool,
    /// Words so far; `None` while the recogniser has said nothing.
    pub text: Option<&'a str>,
    /// The recogniser has given its last word on this sound.
    pub finished: bool,
    /// What is being said may not be interrupted, except for an emergency.
    pub notice: bool,
    /// What we have said in the last seconds: a speakerphone gives it back.
    pub ours: &'a str,
    /// What of it is so new that its first words may be coming back now.
    pub recent: &'a str,
    /// The recogniser's words were all that was heard: nothing is known of the length of the speech.
    pub by_words: bool,
    /// Of the recogniser's last word on this sound, 0–1.
    pub confidence: f32,
}

/// Unexplained speech under which one or two of our own words are an echo: the detector, which knows our voice, heard
/// hardly any other.
const SCARCE: Duration = Duration::from_millis(200);
/// Unexplained speech from which our own words are the caller's choice of them.
const AMPLE: Duration = Duration::from_millis(1_000);
/// Nobody speaks a word in less, on average.
const WORD: Duration = Duration::from_millis(70);
/// A "no" that the recogniser is not so sure of may have been an "oh".
const SURE: f32 = 0.9;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// The caller takes the turn.
    Interruption,
    /// "Uh-huh", a cough, noise: go on.
    BackChannel,
    /// Not known yet.
    Open,
}

/// Weighs duration against words. Nothing is cleared on sound alone unless it lasts and the recogniser is mute.
#[must_use]
pub fn judge(config: &SessionConfig, over: OverTalk<'_>) -> Judgement {
    let text = over.text.unwrap_or("");
    if is_nothing(&over) {
        return if over.finished { Judgement::BackChannel } else { Judgement::Open };
    }
    if !over.finished && over.speech < AMPLE && may_become_echo(text, over.recent) {
        return Judgement::Open;
    }
    if has_emergency_word(text) {
        return Judgement::Interruption;
    }
    if over.notice {
        return if over.finished { Judgement::BackChannel } else { Judgement::Open };
    }
    if has_stop_word(text) {
        return Judgement::Interruption;
    }
    let real_words = words(text).any(|w| !is_back_channel(&w));
    if over.finished {
        return if real_words { Judgement::Interruption } else { Judgement::BackChannel };
    }
    let needed = if over.rejoins {
        config.take_back_speech
    } else if over.reply_age < config.early_reply {
        config.barge_in_speech_early
    } else {
        config.barge_in_speech
    };
    let by_words = real_words && over.speech >= needed;
    let unheard = if over.rejoins { config.rejoin_unheard } else { config.barge_in_unheard };
    let by_length = over.text.is_none() && over.speech >= unheard;
    if by_words || by_length { Judgement::Interruption } else { Judgement::Open }
}

/// Whether what was understood is nothing that the caller said: our own words, more words than what was heard has room
/// for, which a recogniser makes of a faint echo, or a "no" that was hardly understood.
#[must_use]
pub fn is_nothing(over: &OverTalk<'_>) -> bool {
    let text = over.text.unwrap_or("");
    let (count, calls) = (words(text).count() as u32, has_stop_word(text) || has_emergency_word(text));
    let crowded = !over.by_words && count >= 2 && !calls && over.speech < WORD * count;
    let scarce = over.speech < SCARCE && may_become_echo(text, over.recent);
    is_echo(text, over.ours) || (over.finished && (crowded || scarce || is_doubtful_no(over)))
}

/// A short last "no" that was hardly understood.
fn is_doubtful_no(over: &OverTalk<'_>) -> bool {
    let mut words = words(over.text.unwrap_or(""));
    let no = words.next().is_some_and(|w| w == "no") && words.next().is_none();
    no && over.confidence < SURE && over.speech < AMPLE
}

/// Whether these are our own words, come back: nearly all of them in our order in what we have just said. Two
/// words may be the caller's choice of what we offered, so it takes three; a call for help is believed unless
/// all of five words are ours.
#[must_use]
pub fn is_echo(text: &str, ours: &str) -> bool {
    let heard: Vec<String> = words(text).collect();
    let mut said = words(ours);
    let found = heard.iter().filter(|word| said.clone().any(|w| w == **word) && said.any(|w| w == **word));
    let found = found.count();
    if has_emergency_word(text) {
        return heard.len() >= 5 && found == heard.len();
    }
    // A recogniser mishears one word in five of an echo.
    heard.len() >= 3 && found * 5 >= heard.len() * 4
}

/// One or two words that are all ours, and call neither for a stop nor for help: the next one decides.
fn may_become_echo(text: &str, ours: &str) -> bool {
    let count = words(text).count();
    if !(1..=2).contains(&count) || has_stop_word(text) || has_emergency_word(text) {
        return false;
    }
    let mut said = words(ours);
    words(text).all(|word| said.any(|w| w == word))
}

/// Whether the text holds nothing but listening noises.
#[must_use]
pub fn is_only_back_channel(text: &str) -> bool {
    words(text).all(|w| is_back_channel(&w))
}

/// Whether these words say yes or no and nothing else.
#[must_use]
pub fn is_answer(text: &str) -> bool {
    const ANSWERS: [&str; 8] = ["yes", "yep", "no", "nope", "correct", "sí", "si", "correcto"];
    const BESIDE: [&str; 9] = ["please", "it", "is", "that's", "right", "isn't", "ma'am", "sir", "yeah"];
    let said = |list: &[&str], word: &str| list.contains(&word);
    words(text).any(|w| said(&ANSWERS, &w)) && words(text).all(|w| said(&ANSWERS, &w) || said(&BESIDE, &w))
}

fn is_back_channel(word: &str) -> bool {
    const WORDS: [&str; 39] = [
        "uh", "huh", "uh-huh", "mm", "mhm", "mm-hmm", "mmhmm", "hmm", "hm", "um", "ah", "oh", "aha", "okay",
        "ok", "yeah", "yes", "yep", "yup", "right", "sure", "i", "see", "alright", "all", "good", "great",
        "cool", "got", "it", "uhhuh", "ajá", "aja", "sí", "si", "claro", "vale", "bueno", "ya",
    ];
    WORDS.contains(&word) || is_hum(word)
}

/// A hum as a recogniser writes it: "mm", "uh-huh", "mama".
fn is_hum(word: &str) -> bool {
    word.len() <= 6 && word.chars().all(|c| matches!(c, 'm' | 'h' | 'u' | 'a' | '-'))
}

fn has_stop_word(text: &str) -> bool {
    const WORDS: [&str; 13] = [
        "stop", "wait", "no", "hold", "agent", "operator", "sorry", "excuse", "espere", "espera", "pare",
        "agente", "perdón",
    ];
    words(text).any(|w| WORDS.contains(&w.as_str()))
}

fn has_emergency_word(text: &str) -> bool {
    const WORDS: [&str; 11] = [
        "emergency",
        "911",
        "9-1-1",
        "ambulance",
        "help",
        "fire",
        "emergencia",
        "ambulancia",
        "auxilio",
        "socorro",
        "incendio",
    ];
    words(text).any(|w| WORDS.contains(&w.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(speech_ms: u64, text: Option<&'static str>) -> OverTalk<'static> {
        OverTalk {
            speech: Duration::from_millis(speech_ms),
            reply_age: Duration::from_secs(3),
            rejoins: false,
            text,
            finished: false,
            notice: false,
            ours: "The office is open from eight to five, Monday to Friday.",
            recent: "The office is open from eight to five, Monday to Friday.",
            by_words: false,
            confidence: 1.0,
        }
    }

    fn judged(o: OverTalk<'_>) -> Judgement {
        judge(&SessionConfig::default(), o)
    }

    #[test]
    fn back_channels_never_interrupt_however_they_are_written() {
        for text in [
            "Uh-huh.",
            "Okay.",
            "Mm-hmm",
            "Yeah, okay.",
            "I see.",
            "Oh right.",
            "Hmm.",
            "Got it.",
            "Mama",
            "Uhuh",
        ] {
            assert_eq!(judged(over(800, Some(text))), Judgement::Open, "{text}");
            assert_eq!(judged(OverTalk { finished: true, ..over(800, Some(text)) }), Judgement::BackChannel);
        }
    }

    #[test]
    fn words_interrupt_after_enough_speech() {
        assert_eq!(judged(over(300, Some("What about"))), Judgement::Open);
        assert_eq!(judged(over(360, Some("What about"))), Judgement::Interruption);
        let early = OverTalk { reply_age: Duration::from_millis(200), ..over(360, Some("What about")) };
        assert_eq!(judged(early), Judgement::Open);
    }

    #[test]
    fn our_own_words_come_back_and_are_no_interruption() {
        for echo in ["the office is open", "open from eight to", "Office is opened from eight to five"] {
            assert_eq!(judged(over(800, Some(echo))), Judgement::Open, "{echo}");
            let finished = OverTalk { finished: true, ..over(800, Some(echo)) };
            assert_eq!(judged(finished), Judgement::BackChannel, "{echo}");
        }
        for caller in ["what about Friday", "is the office open on Sunday", "Sunday", "open the door"] {
            assert_eq!(judged(over(800, Some(caller))), Judgement::Interruption, "{caller}");
        }
    }

    #[test]
    fn one_or_two_of_our_words_are_an_echo_unless_the_detector_heard_a_caller() {
        let last = |speech, text| judged(OverTalk { finished: true, ..over(speech, Some(text)) });
        assert_eq!(last(90, "the office"), Judgement::BackChannel);
        assert_eq!(last(420, "Friday"), Judgement::Interruption);
        assert_eq!(judged(over(300, Some("Monday"))), Judgement::Open);
        assert_eq!(judged(over(1_020, Some("Monday"))), Judgement::Interruption);
        // Said long ago: it does not come back now.
        let old = OverTalk { recent: "Monday to Friday.", ..over(400, Some("the office")) };
        assert_eq!(judged(old), Judgement::Interruption);
    }

    #[test]
    fn more_words_than_there_was_time_for_are_made_of_an_echo() {
        let last = |speech, text| judged(OverTalk { finished: true, ..over(speech, Some(text)) });
        assert_eq!(last(100, "you're requesting that"), Judgement::BackChannel);
        assert_eq!(last(300, "you're requesting that"), Judgement::Interruption);
        assert_eq!(last(100, "no wait a minute"), Judgement::Interruption);
        let soft = OverTalk { by_words: true, finished: true, ..over(0, Some("what about the fee")) };
        assert_eq!(judged(soft), Judgement::Interruption);
    }

    #[test]
    fn a_short_no_that_was_hardly_understood_does_not_interrupt() {
        let no = |confidence| OverTalk { finished: true, confidence, ..over(300, Some("No.")) };
        assert_eq!(judged(no(0.82)), Judgement::BackChannel);
        assert_eq!(judged(no(0.97)), Judgement::Interruption);
    }

    #[test]
    fn a_call_for_help_is_no_echo_unless_all_of_it_is_ours() {
        let ours = "If this is an emergency, hang up and dial 911.";
        let recent = ours;
        for (text, expected) in [
            ("this is an emergency", Judgement::Interruption),
            ("emergency", Judgement::Interruption),
            ("if this is an emergency hang up", Judgement::Open),
        ] {
            assert_eq!(judged(OverTalk { ours, recent, ..over(800, Some(text)) }), expected, "{text}");
        }
    }

    #[test]
    fn stop_and_emergency_words_interrupt_at_once() {
        assert_eq!(judged(over(200, Some("Wait"))), Judgement::Interruption);
        let notice = OverTalk { notice: true, ..over(200, Some("Stop")) };
        assert_eq!(judged(notice), Judgement::Open);
        let emergency = OverTalk { notice: true, ..over(200, Some("This is an emergency")) };
        assert_eq!(judged(emergency), Judgement::Interruption);
    }

    #[test]
    fn sound_without_words_interrupts_only_when_the_recogniser_is_mute_for_long() {
        assert_eq!(judged(over(600, None)), Judgement::Open);
        assert_eq!(judged(over(900, None)), Judgement::Interruption);
        assert_eq!(judged(over(900, Some(""))), Judgement::Open);
        assert_eq!(judged(OverTalk { finished: true, ..over(900, Some("")) }), Judgement::BackChannel);
    }
}
