//! Turns of phrase that the dialogue listens for: what each language fills in. All of them are plain words.

/// What one language says.
#[derive(Debug)]
pub struct Cues {
    /// Frequent words that the other language does not have.
    pub marks: &'static [&'static str],
    /// A wish for the time of a call: the whole with what leads to it; group `called` is the time beside a word of calling,
    /// `time` one that stands alone.
    pub call_wish: &'static str,
    /// Kinds of street that stand before a street's own name.
    pub street_kinds: &'static [&'static str],
    /// Words that begin a time behind a place.
    pub when_begins: &'static [&'static str],
    /// What says that it is going on, and no more.
    pub right_now: &'static [&'static str],
    /// Words for a caller's name, and that there should be none.
    pub names_name: &'static [&'static str],
    /// The same for a telephone number.
    pub names_number: &'static [&'static str],
    /// What ends a call politely.
    pub that_is_all: &'static [&'static str],
    /// Words that lead to what is otherwise.
    pub but: &'static [&'static str],
    /// What asks for a claim that does not exist yet.
    pub new_claim: &'static [&'static str],
    /// Words that pass over a question.
    pub passes: &'static [&'static str],
    /// Words of what happens again and again, or of somebody's hours.
    pub habits: &'static [&'static str],
    /// Somebody says no for who is in danger, or asks us to send help: after a word of 911 they are told again.
    pub wants_us_to_help: &'static [&'static str],
    /// It was no emergency after all.
    pub no_emergency: &'static [&'static str],
    /// What to do in an emergency.
    pub what_to_do: &'static [&'static str],
    /// A message, where a message or a person was offered.
    pub message: &'static [&'static str],
    /// A person there.
    pub person: &'static [&'static str],
    /// By coming there, and no person.
    pub in_person: &'static str,
    /// Sounds that mean nothing.
    pub hesitations: &'static [&'static str],
    pub thanks: &'static [&'static str],
    pub bye: &'static [&'static str],
    /// "That's all": yes to a read-back.
    pub all_said: &'static [&'static str],
    /// The caller cannot say.
    pub unknowing: &'static [&'static str],
    /// The caller will not say.
    pub declines: &'static [&'static str],
    /// The number that the call comes from.
    pub this_number: &'static [&'static str],
    /// The same: says that they will not.
    pub wont_call: &'static [&'static str],
    /// Wants to hear now what was offered.
    pub say_it: &'static [&'static str],
    /// Two words with which a question begins within an answer.
    pub asks_at: &'static [&'static str],
    /// Before such words: what follows is told, not asked.
    pub embeds: &'static [&'static str],
    /// Between an answer and a question.
    pub joins: &'static [&'static str],
    /// After an emergency: fears not to be understood at 911.
    pub fears_language: &'static [&'static str],
    /// After an emergency: would rather wait, or drive there.
    pub rather_waits: &'static [&'static str],
    /// After an emergency: says that they will call.
    pub will_call: &'static [&'static str],
    /// Any day will do.
    pub any_day: &'static [&'static str],
    /// Names of the week after this one, and of this one.
    pub next_week: &'static [&'static str],
    pub this_week: &'static [&'static str],
    /// What was read back is good as it is; nothing of it is to be filed; it is to be kept.
    pub good_as_is: &'static [&'static str],
    pub drops_it: &'static [&'static str],
    pub keeps_it: &'static [&'static str],
    /// Beginnings of words that tell of something there.
    pub there_is: &'static [&'static str],
    /// What leads to why.
    pub because: &'static [&'static str],
    /// None of the offered times.
    pub other_time: &'static [&'static str],
    /// Beginnings of an answer that say that somebody was hurt.
    pub somebody: &'static [&'static str],
    /// What a date of birth or a name beside a claim number comes with.
    pub proof: &'static [&'static str],
    /// What comes with a claim number that was not asked for, without spaces.
    pub claim: &'static [&'static str],
    /// Links between a slot's name and its new value.
    pub links: &'static [&'static str],
    /// The first three digits of a telephone number.
    pub area_code: &'static [&'static str],
    /// After these comes the value as it is now: "it was", "make it".
    pub now_is: &'static [&'static str],
    /// What comes after these was meant, and what stood before was not.
    pub meant: &'static [&'static str],
    /// Words of a correction that are no part of any value.
    pub correcting: &'static [&'static str],
    pub articles: &'static [&'static str],
    /// "The number is wrong": no value.
    pub wrong: &'static [&'static str],
    /// The days of the week, as they are written.
    pub weekdays: &'static [&'static str],
    /// What callers answer where it is asked whether there is more, or whether all is right.
    pub answers: &'static [&'static str],
    /// Units of a stretch of time, and the words before it.
    pub spans: &'static [&'static str],
    pub since: &'static [&'static str],
    /// Words, with spaces between, that say when to call beside those of the clock and the calendar.
    pub call_times: &'static str,
    /// Words, with spaces between, of a place that only the caller knows: "outside my house", "en la calle".
    pub vague_place: &'static str,
    /// When to call, where it does not matter.
    pub any_time: &'static [&'static str],
    /// What comes after these is to be written as it is said.
    pub dictates: &'static [&'static str],
    /// What happens again and again, in plain words: "every night".
    pub habit: &'static str,
    /// A stretch of time that lasted or is not exact, in plain words: see [`crate::lasting`].
    pub lasting: &'static str,
    /// Small words that a stutter repeats.
    pub small: &'static [&'static str],
    /// "Can you …": openings of a request in the form of a question.
    pub requests: &'static [&'static str],
    /// What is requested so.
    pub request_verbs: &'static [&'static str],
    /// "Can I …" as the opening of a choice.
    pub may_i: &'static str,
    /// Words before what is the caller's own.
    pub mine: &'static [&'static str],
    /// Words that say what is asked about a thing, but name none.
    pub generic: &'static str,
    /// Whose they are, a bar, and people of the caller's own: they are whom a question is asked for, and no subject.
    pub kin: &'static str,
    /// Words of a wish for a person that say nothing of its subject.
    pub bare_request: &'static [&'static str],
    /// Words of a report that is another than the last.
    pub another: &'static [&'static str],
    /// Beside a weekday: that day is not wanted.
    pub unfit: &'static [&'static str],
    /// Before what is taken back, and before what is said instead: "it's not Third, it's Fourth".
    pub not_this: &'static [&'static str],
    pub but_that: &'static [&'static str],
    /// Beside a weekday: what there is on it is asked of us.
    pub asks_free: &'static [&'static str],
    /// Before a weekday: that one instead of the other.
    pub rather: &'static [&'static str],
    /// What we say of values.
    pub says: Says,
}

/// Values as we say them back.
#[derive(Debug)]
pub struct Says {
    /// Before whom a message is for.
    pub for_whom: &'static str,
    pub hurt: &'static str,
    pub unhurt: &'static str,
    pub any_day: &'static str,
    pub next_week: &'static str,
    pub this_week: &'static str,
    pub details: &'static str,
    pub caller_number: &'static str,
    pub or: &'static str,
    pub and: &'static str,
    pub something: &'static str,
    pub correction: &'static str,
    /// In place of a time that the caller chose: "a person will call you at the time you asked for".
    pub as_asked: &'static str,
}
