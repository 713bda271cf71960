//! The parts of a reply, each with its words, by the slots that they are of.

use language::reply::{Asked, Kind, parts};
use language::said_again::without_restart;
use language::states::States;
use language::{Ear, house};
use pipeline::ports::Language;

use super::script::{Slot, SlotKind};

/// From here on a part counts against what patterns make of the words.
const SURE: f32 = 0.58;

/// So many words behind what is told are left over of it.
const FEW: usize = 2;
/// So many words between two pieces of a place belong to it: "Maple, there by the laundry".
const BETWEEN: usize = 4;

/// The parts of a reply, each with its words.
#[derive(Default)]
pub(super) struct Reply {
    parts: Vec<(Kind, String)>,
    /// The reply without what is taken back, asked, or said of calls.
    pub(super) rest: String,
    /// From the first words that tell to the last of what belongs to them: "don't process it till I come by Monday".
    pub(super) telling: String,
    /// Each thing that is told, with the time and place that stand right behind it.
    pub(super) tellings: Vec<String>,
    /// Each telephone number, with what leads to it.
    pub(super) numbers: Vec<String>,
    /// What stands behind the caller's name.
    pub(super) behind_name: String,
    /// The place as it was said, from its first words to its last, with what stands between: "Maple, there by the laundry".
    place: String,
}

impl Reply {
    pub(super) fn of(text: &str, asked: Asked, language: Language, states: Option<&States>) -> Self {
        let mut out = Self::default();
        let mut from = 0;
        let mut place: Option<(usize, usize)> = None;
        let mut apart = String::new();
        let mut telling: Option<(usize, usize)> = None;
        let mut of_kin = Vec::new();
        let mut all = Vec::new();
        for mut part in parts(text, asked, language, states).into_iter().filter(|part| part.sure >= SURE) {
            // "Que me toquen antes de entrar al patio" is of no call.
            if part.kind == Kind::Call && !is_of_call(Ear(language), part.of(text)) {
                part.kind = Kind::What;
            }
            // "Starts with H, no e in front": neither is a name or a place.
            let small = matches!(part.kind, Kind::Name | Kind::Place) && is_small(part.of(text));
            // "Nope, that's my dispatcher's phone": nor is a yes or a no.
            let answer = part.kind == Kind::Name && Ear(language).is_bare_yes_no(part.of(text));
            if small || answer {
                continue;
            }
            match part.kind {
                Kind::Place => {
                    let to = with_number_behind(language, text, part.from, part.to);
                    let between = |last: usize| text[last..part.from].split_whitespace().count();
                    // "A bend in the road … well, you know the old Grange hall": talk between is none of it.
                    let from = match place {
                        Some((first, last)) if between(last) <= BETWEEN => first,
                        Some((first, last)) => {
                            apart =
                                format!("{apart}{}, ", text[first..last].trim_end_matches(['.', ',', '?']));
                            part.from
                        }
                        None => {
                            apart.clear();
                            part.from
                        }
                    };
                    place = Some((from, to));
                }
                // What was said before it was put right, or before something else, is no part of it.
                _ => place = None,
            }
            if let Some((first, last)) = place {
                let street = street_before(language, &text[..first]);
                out.place = format!("{apart}{street} {}", &text[first..last]).trim_start().to_owned();
            }
            all.push((part.kind, part.from, part.to));
            match (part.kind, telling) {
                (Kind::What, None) => telling = Some((part.from, part.to)),
                (Kind::What | Kind::When | Kind::Place, Some((first, _))) => telling = Some((first, part.to)),
                _ => {}
            }
            if let Some((first, last)) = telling {
                text[first..last].clone_into(&mut out.telling);
            }
            if part.kind == Kind::Name && Ear(language).is_of_kin(&text[..part.from]) {
                of_kin.push((part.kind, part.of(text).to_owned()));
                continue;
            }
            if part.kind == Kind::Phone {
                let begins = text[..part.from].rfind(['.', ';', '!', '?']).map_or(0, |sign| sign + 1);
                out.numbers.push(text[begins..part.to].trim().to_owned());
            }
            if part.kind == Kind::Name {
                text[part.to..].trim().clone_into(&mut out.behind_name);
            }
            if matches!(part.kind, Kind::Old | Kind::Ask | Kind::Call) {
                out.rest.push_str(&text[from..part.from]);
                from = part.to;
            }
            let words = match part.kind {
                Kind::What => Ear(language).without_pointer(part.of(text), &text[part.to..]),
                _ => part.of(text),
            };
            out.parts.push((part.kind, words.to_owned()));
        }
        out.tellings = tellings(Ear(language), text, &all);
        // "Gloria Whitfield. My mother is Ruth Whitfield": the second is whom it happened to.
        if !out.has(Kind::Name) {
            out.parts.extend(of_kin);
        }
        out.place = without_restart(Ear(language), &out.place).to_owned();
        out.rest.push_str(&text[from..]);
        // A word or two behind the telling belong to it: "till I come by … Monday".
        if let Some((first, last)) = telling
            && text[last..].split_whitespace().count() <= FEW
            && out.rest.ends_with(&text[last..])
        {
            text[first..].trim_end().clone_into(&mut out.telling);
        }
        out
    }

    pub(super) fn has(&self, kind: Kind) -> bool {
        self.parts.iter().any(|(own, _)| *own == kind)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether it holds more than one thing.
    pub(super) const fn is_mixed(&self) -> bool {
        self.parts.len() > 1
    }

    pub(super) fn each(&self, kind: Kind) -> impl Iterator<Item = &str> {
        self.parts.iter().filter(move |(own, _)| *own == kind).map(|(_, words)| words.as_str())
    }

    /// The words of the one part that is of these kinds.
    pub(super) fn only<const N: usize>(&self, kinds: [Kind; N]) -> Option<&str> {
        let mut found =
            self.parts.iter().filter(|(own, _)| kinds.contains(own)).map(|(_, words)| words.as_str());
        found.next().filter(|_| found.next().is_none())
    }

    /// What is said right after something that is taken back, where it is a place: "not Third, Fourth, the laundry's on Fourth".
    pub(super) fn in_place_of_old(&self) -> Option<&str> {
        let behind = self.parts.windows(2).find(|two| two[0].0 == Kind::Old && two[1].0 == Kind::Place);
        behind.map(|two| two[1].1.as_str())
    }

    /// All words of one kind.
    pub(super) fn all(&self, kind: Kind, between: &str) -> Option<String> {
        let words: Vec<&str> = self.each(kind).collect();
        (!words.is_empty()).then(|| words.join(between))
    }

    /// The words of a kind of slot.
    pub(super) fn value(&self, kind: SlotKind) -> Option<String> {
        match part_of(kind)? {
            // "Peggy, well, Margaret Holloway": the fuller name; of numbers and places all pieces.
            // Letters spell a word of it.
            Kind::Name => {
                let fuller = self
                    .each(Kind::Name)
                    .max_by_key(|name| name.split(' ').filter(|w| w.len() > 1).count())?;
                let letters = self.each(Kind::Name).find(|name| *name != fuller && is_spelled(name));
                Some(letters.map_or_else(|| fuller.to_owned(), |letters| format!("{fuller}, {letters}")))
            }
            Kind::What if kind == SlotKind::Text && !self.has(Kind::Old) => {
                self.has(Kind::What).then(|| self.telling.clone())
            }
            // "The light at main and second is stuck on red": what stands between belongs to it.
            Kind::What
                if self.each(Kind::What).count() > 1 && !self.has(Kind::Old) && !self.has(Kind::Ask) =>
            {
                Some(self.telling.clone())
            }
            Kind::What => self.all(Kind::What, ", "),
            Kind::Place => self.has(Kind::Place).then(|| self.place.clone()),
            part => self.all(part, " "),
        }
    }

    /// The words that are of a slot; what takes the place of one's words is of that one, whatever it looks like.
    pub(super) fn words_for(&self, slot: &Slot, owner: Option<&Slot>) -> Option<String> {
        const BARE: [Kind; 4] = [Kind::Place, Kind::When, Kind::Name, Kind::Phone];
        let mut bare = self.parts.iter().filter(|(kind, _)| BARE.contains(kind));
        match (owner, bare.next(), bare.next()) {
            (Some(owner), Some((_, words)), None) if owner.id == slot.id => Some(words.clone()),
            // "It's two dogs, not three, and it's by the feed store": what has an owner is no other's, and the rest is.
            (Some(_), Some((kind, _)), None) if part_of(slot.kind) == Some(*kind) => None,
            _ => self.value(slot.kind),
        }
    }

    /// What it tells, without the talk around it and without what it takes back. `None`: nothing was found in it.
    pub(super) fn told(&self) -> Option<String> {
        const TOLD: [Kind; 6] = [Kind::What, Kind::Place, Kind::When, Kind::Name, Kind::Phone, Kind::Call];
        let told: Vec<&str> = self
            .parts
            .iter()
            .filter(|(kind, _)| TOLD.contains(kind))
            .map(|(_, words)| words.trim_end_matches(['.', ',', ';']))
            .collect();
        (!told.is_empty()).then(|| told.join(", "))
    }

    /// Whether it gives a value, of whatever slot.
    pub(super) fn tells(&self) -> bool {
        [Kind::What, Kind::Place, Kind::When, Kind::Name, Kind::Phone].into_iter().any(|kind| self.has(kind))
    }
}

/// Each thing that is told, of parts in order, with the time and place that stand right behind it.
fn tellings(ear: Ear, text: &str, parts: &[(Kind, usize, usize)]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut told: Option<(usize, usize)> = None;
    for &(kind, from, to) in parts {
        let goes_on = told.is_some_and(|(_, last)| !text[last..from].chars().any(char::is_alphanumeric));
        told = match (kind, told) {
            (Kind::When | Kind::Place | Kind::What, Some((first, _))) if goes_on => Some((first, to)),
            (kind, before) => {
                out.extend(before.map(|(first, last)| text[first..last].to_owned()));
                // "My brother's Terry Ivers, he's the one with the hearing."
                let kin = kind == Kind::Name && ear.is_of_kin(&text[..from]);
                let begins = if kin { clause_before(text, from) } else { from };
                (kin || kind == Kind::What).then_some((begins, to))
            }
        };
    }
    out.extend(told.map(|(first, last)| text[first..last].to_owned()));
    out
}

/// Where the clause begins in which this stands.
fn clause_before(text: &str, at: usize) -> usize {
    let begins = text[..at].rfind([',', '.', ';', '!', '?']).map_or(0, |sign| sign + 1);
    begins + text[begins..at].len() - text[begins..at].trim_start().len()
}

/// "Elm Street veinticinco": the number behind a street is of it, though it was taken for none of the place.
fn with_number_behind(language: Language, text: &str, from: usize, to: usize) -> usize {
    let ear = Ear(language);
    if ear.address(&text[from..to]).is_some() {
        return to;
    }
    let words: Vec<&str> = text[to..].split_whitespace().take(HOUSE_WORDS).collect();
    let plain: Vec<String> = words.iter().map(|word| ear.plain(word)).collect();
    let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
    let Some((_, used)) = house::number_at(ear, &plain) else { return to };
    let mut end = to;
    for word in words.iter().take(used) {
        end += text[end..].find(word).unwrap_or_default() + word.len();
    }
    if ear.address(&text[from..end]).is_some() { end } else { to }
}

/// Whether words are of calls, or of a time of the day or week.
fn is_of_call(ear: Ear, words: &str) -> bool {
    let (calls, times): (&[&str], &[&str]) = match ear.0 {
        Language::En => (
            &["call", "phon", "ring", "text", "reach", "number", "mail", "contact", "message"],
            &[
                "morning",
                "afternoon",
                "evening",
                "noon",
                "night",
                "work",
                "time",
                "today",
                "tomorrow",
                "later",
            ],
        ),
        Language::Es => (
            &["llam", "marc", "mensaj", "text", "numer", "telefon", "correo", "contact", "comuni"],
            &["manana", "tarde", "noche", "mediodia", "hora", "horas", "trabajo", "hoy", "luego"],
        ),
    };
    let plain = ear.plain(words);
    plain.split(' ').any(|word| {
        calls.iter().any(|call| word.starts_with(call))
            || times.contains(&word)
            || ear.calendar_word(word).is_some()
            || ear.cardinal_at(&[word]).is_some()
            || word.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// A letter, or a word of direction, by itself.
fn is_small(words: &str) -> bool {
    let bare = words.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    bare.chars().count() == 1
        || matches!(bare.as_str(), "in front" | "up front" | "front" | "adelante" | "al final")
        || matches!(
            bare.as_str(),
            "before" | "before that" | "first" | "wait" | "antes" | "primero" | "espere"
        )
}

/// Words of the longest house number that is looked for.
const HOUSE_WORDS: usize = 6;

/// "N G U Y E N", "N-G-U-Y-E-N".
fn is_spelled(name: &str) -> bool {
    let mut letters = name.split([' ', '-', ',']).filter(|letter| !letter.is_empty());
    letters.all(|letter| letter.chars().count() == 1)
}

/// The part that holds the value of a slot.
pub(super) const fn part_of(kind: SlotKind) -> Option<Kind> {
    Some(match kind {
        SlotKind::Story | SlotKind::Text => Kind::What,
        SlotKind::Place | SlotKind::Address => Kind::Place,
        SlotKind::When | SlotKind::Day => Kind::When,
        SlotKind::Name => Kind::Name,
        SlotKind::Phone => Kind::Phone,
        SlotKind::Injured | SlotKind::Opening | SlotKind::ClaimNumber | SlotKind::Proof => return None,
    })
}

/// What a slot asks, as replies know it.
pub(super) fn asks(slot: &Slot) -> Option<Asked> {
    Some(match slot.kind {
        SlotKind::Story => Asked::What,
        SlotKind::Text if slot.id == "reason" => Asked::Reason,
        SlotKind::Text => Asked::Message,
        SlotKind::Place => Asked::Where,
        SlotKind::Address => Asked::Address,
        SlotKind::When => Asked::When,
        SlotKind::Injured => Asked::Hurt,
        SlotKind::Name => Asked::Name,
        SlotKind::Phone => Asked::Phone,
        SlotKind::Day | SlotKind::Opening => Asked::Day,
        SlotKind::ClaimNumber | SlotKind::Proof => return None,
    })
}

/// "La calle" right before a place that begins with the street's own name, as it was said.
fn street_before(language: Language, before: &str) -> &str {
    let before = before.trim_end();
    let ends = |street: &&&str| {
        let from = before.len().checked_sub(street.len())?;
        let said = before.get(from..)?;
        let apart = from == 0 || before.get(..from)?.ends_with(' ');
        (apart && said.eq_ignore_ascii_case(street)).then_some(said)
    };
    Ear(language).cues().street_kinds.iter().find_map(|street| ends(&street)).unwrap_or_default()
}
