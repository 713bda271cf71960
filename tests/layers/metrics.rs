//! Every family of metrics says in words what it counts: `promtool check metrics` asks for it, and so do people.

use std::collections::BTreeSet;

use super::source::Source;

/// Macros that count, and those that describe what is counted.
const COUNT: [&str; 3] = ["counter", "gauge", "histogram"];

/// Names that are counted in product code and described nowhere.
pub fn undescribed(sources: &[&Source]) -> Vec<String> {
    let (mut counted, mut described) = (BTreeSet::new(), BTreeSet::new());
    for source in sources {
        for kind in COUNT {
            counted.extend(names(source, kind));
            described.extend(names(source, &format!("describe_{kind}")));
        }
    }
    counted.difference(&described).cloned().collect()
}

/// First literals of a macro's calls outside tests.
fn names(source: &Source, kind: &str) -> Vec<String> {
    let called = format!("{kind}!(");
    let places = source
        .code
        .match_indices(&called)
        .filter(|(at, _)| !source.code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
    let literals = places.filter_map(|(at, _)| {
        let rest = source.raw.get(at + called.len()..)?.trim_start().strip_prefix('"')?;
        rest.split_once('"').map(|(name, _)| name.to_owned())
    });
    literals.collect()
}
