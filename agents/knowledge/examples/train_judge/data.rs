//! What the judge's head learns from.

use std::error::Error;
use std::fs;
use std::path::Path;

/// A page that sentences are held against.
pub struct Page {
    pub text: String,
}

/// A sentence and the page that it is held against.
#[derive(Clone)]
pub struct Line {
    pub page: usize,
    /// Pages that are shown, too.
    pub beside: Vec<usize>,
    pub language: String,
    pub kind: String,
    pub text: String,
    pub wrong: bool,
    /// By a person, and not made from another sentence.
    pub written: bool,
    pub weight: f32,
}

/// How much an error costs at a right sentence, at one that was made from another, and at one about something else.
const RIGHT: f32 = 2.5;
const MADE: f32 = 0.4;
const ELSEWHERE: f32 = 0.6;
/// Sentences about something else that are held against each page.
const OTHERS: usize = 30;
/// What is wrong in a sentence, as hands name it.
const KINDS: [&str; 9] = ["number", "when", "name", "negation", "condition", "added", "mixed", "all", "word"];
/// Names that stand in for others.
const NAMES: [&str; 12] = [
    "Harper",
    "Delgado",
    "Whitfield",
    "Monroe",
    "Kessler",
    "Riverside",
    "Franklin",
    "Ortega",
    "Maplewood",
    "Norris",
    "Calhoun",
    "Vega",
];

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % n.max(1)
    }
}

pub fn all(folder: &Path, seed: u64) -> Result<(Vec<Page>, Vec<Line>), Box<dyn Error>> {
    let (mut pages, mut lines): (Vec<Page>, Vec<Line>) = (Vec::new(), Vec::new());
    let mut files: Vec<_> =
        fs::read_dir(folder.join("judge/train"))?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.sort();
    for file in files {
        let (own, said) = of_pages(&file)?;
        lines.extend(said.into_iter().map(|line| Line { page: line.page + pages.len(), ..line }));
        pages.extend(own);
    }
    let mut dice = Dice(seed);
    let mut made = Vec::new();
    for line in lines.iter().filter(|line| line.kind == "right") {
        let mut turn = |kind: &str, text: String, wrong: bool| {
            let kind = kind.to_owned();
            made.push(Line { kind, text, wrong, written: false, weight: MADE, ..line.clone() });
        };
        if let Some(text) = denied(&line.text) {
            turn("denied", text, true);
        }
        if let Some(text) = renamed(&line.text, NAMES[dice.below(NAMES.len())]) {
            turn("renamed", text, true);
        }
        if let Some((_, text)) =
            line.text.split_once(", ").filter(|(head, _)| head.starts_with("If ") || head.starts_with("Si "))
        {
            turn("unconditional", capital(text), true);
        }
        let opening =
            if line.language == "es" { ["Sí, ", "Claro, ", "Pues "] } else { ["Yes, ", "So ", "Sure, "] };
        turn("opened", format!("{}{}", opening[dice.below(3)], small(&line.text)), false);
    }
    for (page, own) in pages.iter().enumerate() {
        let language = lines.iter().find(|l| l.page == page).map_or_else(String::new, |l| l.language.clone());
        let line = |kind: &str, text: String, wrong: bool| Line {
            page,
            beside: Vec::new(),
            language: language.clone(),
            kind: kind.to_owned(),
            text,
            wrong,
            written: false,
            weight: MADE,
        };
        for text in governance::judge::sentences(&own.text) {
            made.extend(denied(&text).map(|denied| line("denied", denied, true)));
            made.push(line("verbatim", text, false));
        }
    }
    made.extend(elsewhere(folder, &pages, &lines, &mut dice)?);
    lines.extend(made);
    // Half are shown with other pages beside.
    for line in &mut lines {
        if dice.below(2) == 0 {
            line.beside = (0..2).map(|_| dice.below(pages.len())).filter(|n| *n != line.page).collect();
        }
    }
    Ok((pages, lines))
}

/// Pages, each with what is said of it below: "+" is right, "-" is wrong, with its kind in front where that is known ("number: …"), "~" is about
/// something else.
pub fn of_pages(path: &Path) -> Result<(Vec<Page>, Vec<Line>), Box<dyn Error>> {
    let (mut pages, mut lines): (Vec<Page>, Vec<Line>) = (Vec::new(), Vec::new());
    let mut language = String::new();
    for line in fs::read_to_string(path)?.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((of, page)) = line.strip_prefix('[').and_then(|l| l.split_once("] ")) {
            of.clone_into(&mut language);
            pages.push(Page { text: page.to_owned() });
            continue;
        }
        let (mark, said) =
            line.split_once(' ').ok_or_else(|| format!("this is no line of a page: {line}"))?;
        let named = said.split_once(": ").filter(|(kind, _)| KINDS.contains(kind));
        let (kind, said) = match mark {
            "+" => ("right", said),
            "-" => named.unwrap_or(("wrong", said)),
            "~" => ("elsewhere", said),
            _ => return Err(format!("this is no line of a page: {line}").into()),
        };
        let page = pages.len().checked_sub(1).ok_or("a sentence before the first page")?;
        lines.push(Line {
            page,
            beside: Vec::new(),
            language: language.clone(),
            kind: kind.to_owned(),
            text: said.to_owned(),
            wrong: mark == "-",
            written: true,
            weight: if mark == "-" { 1.0 } else { RIGHT },
        });
    }
    Ok((pages, lines))
}

/// What may be said, and has nothing to do with a page.
fn elsewhere(
    folder: &Path,
    pages: &[Page],
    lines: &[Line],
    dice: &mut Dice,
) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut talk = String::new();
    for hand in ["first", "second", "third", "fourth", "fifth"] {
        talk += &fs::read_to_string(folder.join(format!("meaning/{hand}.tsv")))?;
    }
    // What must not be said is the rules' business; acts and plain sentences are held against no page.
    let passes =
        |kind: &str| matches!(kind, "allowed" | "plain") || governance::meaning::Act::of(kind).is_some();
    let said: Vec<(&str, &str)> = talk
        .lines()
        .filter_map(|line| {
            let mut parts = line.split('\t');
            passes(parts.next()?).then_some(())?;
            Some((parts.next()?, parts.next()?))
        })
        .collect();
    let mut out = Vec::new();
    for page in 0..pages.len() {
        let language = lines.iter().find(|l| l.page == page).map_or("en", |l| l.language.as_str());
        let own: Vec<&(&str, &str)> = said.iter().filter(|(of, _)| *of == language).collect();
        for _ in 0..OTHERS.min(own.len()) {
            out.push(Line {
                page,
                beside: Vec::new(),
                language: language.to_owned(),
                kind: "elsewhere".to_owned(),
                text: own[dice.below(own.len())].1.to_owned(),
                wrong: false,
                written: false,
                weight: ELSEWHERE,
            });
        }
    }
    Ok(out)
}

/// The opposite, where a word or two make it.
fn denied(text: &str) -> Option<String> {
    let pairs = [
        (" can't ", " can "),
        (" don't need ", " need "),
        (" don't have to ", " have to "),
        (" doesn't ", " does "),
        (" don't ", " "),
        (" isn't ", " is "),
        (" aren't ", " are "),
        (" not ", " "),
        (" can ", " can't "),
        (" must ", " need not "),
        (" need ", " don't need "),
        (" needs ", " doesn't need "),
        (" has to ", " doesn't have to "),
        (" have to ", " don't have to "),
        (" is ", " isn't "),
        (" are ", " aren't "),
        (" no se ", " se "),
        (" no ", " "),
        (" puede ", " no puede "),
        (" pueden ", " no pueden "),
        (" hay ", " no hay "),
        (" tiene que ", " no tiene que "),
        (" se ", " no se "),
        (" es ", " no es "),
    ];
    let (from, to) = pairs.into_iter().find(|(from, _)| text.contains(from))?;
    Some(text.replacen(from, to, 1))
}

/// With another name, where there is one after the first word.
fn renamed(text: &str, name: &str) -> Option<String> {
    let months = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let words: Vec<&str> = text.split(' ').collect();
    let at = (1..words.len()).find(|n| {
        let word = words[*n];
        word.starts_with(char::is_uppercase)
            && word.len() > 3
            && !months.iter().any(|m| word.starts_with(m))
            && !word.contains("day")
    })?;
    let tail = if words[at].ends_with('.') { "." } else { "" };
    let swapped = format!("{name}{tail}");
    Some(
        words
            .iter()
            .enumerate()
            .map(|(n, w)| if n == at { swapped.as_str() } else { w })
            .collect::<Vec<_>>()
            .join(" "),
    )
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

fn small(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}

/// A set as `benches/sets/README.md` has it.
pub fn set(path: &Path) -> Result<(Vec<Page>, Vec<Line>), Box<dyn Error>> {
    let (mut pages, mut lines): (Vec<Page>, Vec<Line>) = (Vec::new(), Vec::new());
    for row in fs::read_to_string(path)?.lines().skip(1) {
        let parts: Vec<&str> = row.split('\t').collect();
        let [_, language, verdict, kind, passage, text] = parts[..] else {
            return Err(format!("this is no line of a set: {row}").into());
        };
        if pages.last().is_none_or(|page| page.text != passage) {
            pages.push(Page { text: passage.to_owned() });
        }
        lines.push(Line {
            page: pages.len() - 1,
            beside: Vec::new(),
            language: language.to_owned(),
            kind: if verdict == "wrong" { kind.to_owned() } else { verdict.to_owned() },
            text: text.to_owned(),
            wrong: verdict == "wrong",
            written: true,
            weight: 1.0,
        });
    }
    Ok((pages, lines))
}
