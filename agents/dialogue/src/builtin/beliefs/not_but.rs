//! A part of a place that is taken back with another in its stead: "it's not Third, it's Fourth, the laundromat's on Fourth".

use language::Ear;

/// Words between a no and what it takes back, and between that and what is said instead.
const BETWEEN: usize = 4;
/// Most words of either.
const MOST: usize = 3;

/// What of `held` is taken back, and what is said in its place. Only names are: "no es la esquina" takes none back.
#[must_use]
pub fn not_but(ear: Ear, held: &str, text: &str) -> Option<(String, String)> {
    let raw: Vec<&str> = text.split_whitespace().collect();
    let plain: Vec<String> = raw.iter().map(|word| ear.plain(word)).collect();
    let ends = |at: usize| raw[at].ends_with([',', '.', ';', '!', '?']);
    let cues = ear.cues();
    let small = |word: &str| {
        cues.small.contains(&word) || cues.articles.contains(&word) || cues.but_that.contains(&word)
    };
    let held = ear.plain(held);
    let holds = |words: &[String]| format!(" {held} ").contains(&format!(" {} ", words.join(" ")));
    let skip = |from: usize, upto: usize| (from..upto.min(plain.len())).find(|at| !small(&plain[*at]));
    let denied = (0..plain.len()).filter(|at| cues.not_this.contains(&plain[*at].as_str()) && !ends(*at));
    denied.into_iter().find_map(|at| {
        let old = skip(at + 1, at + 1 + BETWEEN)?;
        let longest = (1..=MOST.min(plain.len() - old)).rev();
        let mut runs = longest.filter(|count| (old..old + count - 1).all(|at| !ends(at)));
        let after = old + runs.find(|count| holds(&plain[old..old + count]))?;
        let but = (after..(after + BETWEEN).min(plain.len()))
            .find(|at| cues.but_that.contains(&plain[*at].as_str()))?;
        let new = skip(but + 1, but + 1 + BETWEEN)?;
        let end = (new..plain.len()).find(|at| ends(*at)).map_or(plain.len(), |at| at + 1);
        let end = (new..end).find(|at| small(&plain[*at])).unwrap_or(end);
        let instead = &plain[new..end];
        (!instead.is_empty() && instead.len() <= MOST && !holds(instead)).then(|| {
            let said = raw[new..end].join(" ");
            (plain[old..after].join(" "), said.trim_end_matches([',', '.', ';', '!', '?']).to_owned())
        })
    })
}

/// Whether words only say what a place is not and is, as it is held by now: "it's not on Mill, it's on River Street".
#[must_use]
pub fn takes_back_for(ear: Ear, held: &str, text: &str) -> bool {
    let plain = ear.plain(text);
    let words: Vec<&str> = plain.split(' ').collect();
    let cues = ear.cues();
    let Some(denied) = words.iter().position(|word| cues.not_this.contains(word)) else { return false };
    let but = words.iter().rposition(|word| cues.but_that.contains(word)).filter(|at| *at > denied);
    let Some(but) = but else { return false };
    let held = ear.plain(held);
    let small = |word: &&&str| cues.small.contains(*word) || cues.articles.contains(*word);
    let instead: Vec<&&str> = words[but + 1..].iter().filter(|word| !small(word)).collect();
    let of_place = |word: &&&str| held.split(' ').any(|held| held == **word);
    words.len() <= MOST * BETWEEN && !instead.is_empty() && instead.iter().all(of_place)
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;

    #[test]
    fn words_that_only_put_a_place_right_tell_nothing_else() {
        let (ear, place) = (Ear(Language::Es), "River Street, a media cuadra del puente");
        assert!(takes_back_for(ear, place, "No es en Mill, perdón, es en River Street."));
        assert!(!takes_back_for(ear, place, "no es un caño, es una tubería"));
        assert!(!takes_back_for(ear, place, "y el agua ya le llega a la rodilla"));
    }

    #[test]
    fn a_name_in_a_place_is_taken_back_with_another_instead() {
        let corner = "la esquina de Sycamore y Third, enfrente de la lavandería";
        for (language, held, text, found) in [
            (
                Language::Es,
                corner,
                "No, no es la Third, es la Fourth, la lavandería está en la Fourth",
                Some(("third", "Fourth")),
            ),
            (
                Language::Es,
                "Mill Street, a media cuadra del puente",
                "Ernesto. Y no es en Mill Street, perdón, es en River Street.",
                Some(("mill street", "River Street")),
            ),
            (
                Language::En,
                "the corner of Oak and Third",
                "it's not third it's fourth",
                Some(("third", "fourth")),
            ),
            (Language::En, "Mabel Street", "No, it's not Mabel, it's Maple", Some(("mabel", "Maple"))),
            (Language::En, "Mabel Street", "It's not far, it's right by the church", None),
            (Language::En, "Mabel Street", "It isn't my fault it's broken", None),
            (Language::Es, corner, "no sé si es la Third o la Fourth", None),
            (Language::Es, corner, "no es urgente, es una luz", None),
        ] {
            let found = found.map(|(old, new)| (old.to_owned(), new.to_owned()));
            assert_eq!(not_but(Ear(language), held, text), found, "{text}");
        }
    }
}
