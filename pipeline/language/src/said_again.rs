//! A place that was begun and then said whole: "on Sycamore, right in front of my house, 218 Sycamore Street".

use super::Ear;
use super::Language;

/// Words around a place that tell nobody where it is.
const ENGLISH: &[&str] = &[
    "on", "in", "at", "of", "the", "a", "right", "front", "my", "our", "house", "place", "home", "here",
    "there", "uh", "um", "it's", "its", "that's", "is", "like", "over", "down", "up", "no", "so", "well",
    "yeah", "i", "mean", "sorry", "outside", "dear", "honey", "sir", "said",
];
const SPANISH: &[&str] = &[
    "en", "la", "el", "de", "del", "mi", "nuestra", "casa", "frente", "enfrente", "justo", "ahi", "aqui",
    "es", "esta", "no", "digo", "este", "eh", "pues", "afuera", "a", "o", "sea", "perdon",
];
/// Words that begin a landmark, which a street does not take the place of.
const LANDMARK: [&str; 11] =
    ["by", "near", "behind", "across", "next", "beside", "past", "cerca", "junto", "detras", "al"];
/// Words that go on with a street's name or with a corner.
const GOES_ON: [&str; 22] = [
    "street",
    "st",
    "avenue",
    "ave",
    "road",
    "rd",
    "lane",
    "drive",
    "court",
    "way",
    "boulevard",
    "place",
    "circle",
    "and",
    "y",
    "con",
    "north",
    "south",
    "east",
    "west",
    "norte",
    "sur",
];

/// The place as it was said whole, where what stands before it is no more than its beginning. All of it otherwise.
#[must_use]
pub fn without_restart(ear: Ear, place: &str) -> &str {
    let fillers = match ear.0 {
        Language::En => ENGLISH,
        Language::Es => SPANISH,
    };
    let mut at = 0;
    let words: Vec<(usize, String)> = place
        .split_whitespace()
        .map(|word| {
            let from = at + place[at..].find(word).unwrap_or_default();
            at = from + word.len();
            (from, ear.plain(word))
        })
        .collect();
    let tells = |word: &str| !fillers.contains(&word);
    let restarts = |from: &usize| {
        let (head, tail) = words.split_at(*from);
        let named = |(_, word): &&(usize, String)| tells(word);
        let again = head.iter().filter(named).all(|(_, word)| tail.iter().any(|(_, later)| later == word));
        let goes_on = tail.first().is_some_and(|(_, word)| GOES_ON.contains(&word.as_str()));
        let more = tail.iter().filter(named).count() >= head.iter().filter(named).count();
        head.iter().any(|(_, word)| tells(word)) && again && more && !goes_on
    };
    if words.first().is_some_and(|(_, word)| LANDMARK.contains(&word.as_str())) {
        return place;
    }
    let from = (1..words.len()).rev().find(restarts).map(|from| {
        // "The" belongs to what it stands before.
        if from > 1 && ear.cues().articles.contains(&words[from - 1].1.as_str()) { from - 1 } else { from }
    });
    from.map_or(place, |from| &place[words[from].0..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_only_begun_is_left_out() {
        for (language, said, place) in [
            (
                Language::En,
                "sycamore right in front of my house two eighteen sycamore street",
                "two eighteen sycamore street",
            ),
            (Language::En, "on Elm, Elm and Fourth", "Elm and Fourth"),
            (Language::En, "elm and fifth dear elm and fifth", "elm and fifth"),
            (Language::En, "First and First", "First and First"),
            (Language::En, "elm street and elm court", "elm street and elm court"),
            (Language::En, "by the school on school road", "by the school on school road"),
            (Language::En, "over old mill road by the church", "over old mill road by the church"),
            (Language::En, "maple", "maple"),
            (Language::Es, "la elm la calle elm con la primera", "la calle elm con la primera"),
            (Language::Es, "la oak avenue con la quinta", "la oak avenue con la quinta"),
        ] {
            assert_eq!(without_restart(Ear(language), said), place, "{said}");
        }
    }
}
