//! A crate that nobody holds in the head is split. Lines of code count: no comments, no tests, nothing empty.

use super::source::Source;

/// Lines of code of a crate.
const LARGEST: usize = 20_000;
/// Crates that are larger still, and how large they may be: this only ever shrinks.
const LARGER: [(&str, usize); 1] = [("gateway", 33_600)];

/// What is wrong with the size of a crate whose sources are in `folder`.
pub fn of(sources: &[Source], name: &str, folder: &str) -> Option<String> {
    let within = format!("{folder}/src/");
    let own = sources.iter().filter(|s| s.path.starts_with(&within));
    judged(name, own.map(|s| s.code.lines().filter(|line| !line.trim().is_empty()).count()).sum())
}

fn judged(name: &str, lines: usize) -> Option<String> {
    let most = LARGER.iter().find(|(larger, _)| *larger == name).map_or(LARGEST, |(_, most)| *most);
    (lines > most).then(|| format!("{name} has {lines} lines, over {most}: split it"))
}

#[test]
fn a_planted_giant_is_found() {
    assert_eq!(judged("telephony", LARGEST), None);
    assert!(judged("telephony", LARGEST + 1).is_some());
}
