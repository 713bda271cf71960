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

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;

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
