//! Modules of a crate build on each other in one direction: one that leads back to itself can be read, tested and moved
//! only with all that it passes on the way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::source::Source;

/// Which module at the top of a crate names which, and where it does so first.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

/// Imports among the modules at the top of the crate whose sources are in `folder` that lead back to where they are, each
/// with the way back.
pub fn of(sources: &[Source], folder: &str) -> Vec<String> {
    let imports = imports(sources, folder);
    let mut found = Vec::new();
    for (from, named) in &imports {
        for (to, place) in named {
            if let Some(back) = way(&imports, to, from) {
                found.push(format!(
                    "{place}: {from} imports {to}, and is imported by it: {}",
                    back.join(" -> ")
                ));
            }
        }
    }
    found
}

fn imports(sources: &[Source], folder: &str) -> Imports {
    let within: Vec<(&Source, Vec<&str>)> =
        sources.iter().filter_map(|source| Some((source, module(&source.path, folder)?))).collect();
    let tops: BTreeSet<&str> = within.iter().map(|(_, module)| module[0]).collect();
    let mut imports = Imports::new();
    for (source, module) in &within {
        // From the root, or from as far up as the file is deep.
        let up = ["super", "::"].repeat(module.len());
        for (line, word) in [&["crate", "::"], up.as_slice()].into_iter().flat_map(|path| source.after(path))
        {
            if tops.contains(word.as_str()) && word != module[0] {
                let named = imports.entry(module[0].to_owned()).or_default();
                named.entry(word).or_insert_with(|| format!("{}:{line}", source.path));
            }
        }
    }
    imports
}

/// The module of a file, from the top of its crate; `None` for the root and for files that are elsewhere.
fn module<'p>(path: &'p str, folder: &str) -> Option<Vec<&'p str>> {
    let within = path.strip_prefix(folder)?.strip_prefix("/src/")?.strip_suffix(".rs")?;
    let within = within.strip_suffix("/mod").unwrap_or(within);
    (!["lib", "main"].contains(&within)).then(|| within.split('/').collect())
}

/// The shortest way along imports, both ends named.
fn way<'i>(imports: &'i Imports, from: &'i str, to: &str) -> Option<Vec<&'i str>> {
    let mut ways = VecDeque::from([vec![from]]);
    let mut seen = BTreeSet::from([from]);
    while let Some(way) = ways.pop_front() {
        let last = way[way.len() - 1];
        if last == to {
            return Some(way);
        }
        for next in imports.get(last).into_iter().flat_map(BTreeMap::keys).filter(|next| seen.insert(next)) {
            let mut on = way.clone();
            on.push(next);
            ways.push_back(on);
        }
    }
    None
}

#[test]
fn a_planted_circle_is_found() {
    let found = |teams: &str, tools: &str, deep: &str| {
        let files = [
            ("agents/work/src/lib.rs", "pub use crate::teams::Team;"),
            ("agents/work/src/teams/mod.rs", teams),
            ("agents/work/src/tools.rs", tools),
            ("agents/work/src/hub/methods/seen.rs", deep),
            // Of another crate.
            ("agents/src/tools.rs", "use crate::teams::Team;"),
        ];
        of(&files.map(|(path, text)| Source::parse(path, text)), "agents/work")
    };
    assert_eq!(
        found("use crate::tools::tool;", "// crate::hub", "use super::Case; use crate::tools;"),
        [""; 0]
    );
    let tested = "#[cfg(test)]\nmod tests { use crate::teams::Teams; }";
    assert_eq!(found("use crate::tools::tool;", tested, ""), [""; 0]);
    let two = found("use crate::{tools::tool, placed};", "fn f() { crate::teams::of(); }", "");
    assert_eq!(two.len(), 2, "{two:?}");
    // Three in a row, by names from the root and by names from above.
    let three = found("use super::tools;", "use super::hub::Case;", "use super::super::super::teams;");
    assert_eq!(three.len(), 3, "{three:?}");
    assert!(
        three[0].ends_with("hub imports teams, and is imported by it: teams -> tools -> hub"),
        "{three:?}"
    );
}
