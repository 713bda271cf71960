//! What a head makes of sentences.

use std::collections::BTreeMap;
use std::error::Error;

use language::Language;
use language::intents::{Act, Head, Nearest, QUESTION, Stretch, clauses, understand};

use crate::data::Line;
use crate::vectors::Vectors;

pub fn print(head: &Head, lines: &[Line], vectors: &mut Vectors, missed: bool) -> Result<(), Box<dyn Error>> {
    let pieces: Vec<&str> =
        lines.iter().flat_map(|l| clauses(&l.text).into_iter().map(|range| &l.text[range])).collect();
    vectors.make(pieces.into_iter())?;
    let nearest = Nearest::default();
    for encoder in [true, false] {
        println!("{}", if encoder { "with vectors" } else { "by words alone" });
        let mut routes: BTreeMap<String, [usize; 2]> = BTreeMap::new();
        let mut acts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
        let mut sure = [[0usize; 2]; 10];
        for line in lines {
            let stretch = |text| Stretch { text, vector: vectors.of(text).filter(|_| encoder) };
            let parts: Vec<_> =
                clauses(&line.text).into_iter().map(|r| (r.clone(), stretch(&line.text[r]))).collect();
            let found = understand(head, &nearest, line.language, false, &stretch(&line.text), &parts);
            let Some(want) = found.want() else { continue };
            let language = line.language.code();
            if let Some(route) = &line.route {
                let right = usize::from(*route == want.route);
                for key in [route.as_str(), language, "all"] {
                    add(&mut routes, key, right);
                }
                let bin = &mut sure[((want.score * 10.0) as usize).min(9)];
                bin[0] += right;
                bin[1] += 1;
                if right == 0 && missed && encoder {
                    println!(
                        "  {route} not {} {:.2} (question {:.2}): {}",
                        want.route,
                        want.score,
                        found.wants(QUESTION),
                        line.text
                    );
                }
            }
            if let (Some(act), Some((own, score))) = (line.act, found.act()) {
                let right = usize::from(same(act, own));
                for key in [act.name(), language, "all"] {
                    add(&mut acts, key, right);
                }
                if right == 0 && missed && encoder {
                    println!("  {act} not {own} {score:.2}: {}", line.text);
                }
            }
        }
        let show = |name: &str, all: &BTreeMap<String, [usize; 2]>| {
            let each: Vec<String> = all.iter().map(|(k, [r, n])| format!("{k} {r}/{n}")).collect();
            println!("  {name}: {}", each.join(", "));
        };
        show("wants", &routes);
        show("acts", &acts);
        let bins: Vec<String> = sure
            .iter()
            .enumerate()
            .filter(|(_, b)| b[1] > 0)
            .map(|(n, [r, all])| format!("0.{n}: {r}/{all}"))
            .collect();
        println!("  right by how sure: {}", bins.join(", "));
    }
    let _ = Language::En;
    Ok(())
}

fn add(all: &mut BTreeMap<String, [usize; 2]>, key: &str, right: usize) {
    let own = all.entry(key.to_owned()).or_default();
    own[0] += right;
    own[1] += 1;
}

/// Sets do not tell all acts apart that the head does.
fn same(wanted: Act, found: Act) -> bool {
    wanted == found
        || matches!((wanted, found), (Act::Change, Act::Abandon) | (Act::Answer, Act::Acknowledge))
}
