//! Just enough of Rust's grammar to judge a source file: what is code, what is text, what is comment, what is test.

use std::ops::Range;

/// A source file taken apart. `code` has the length and lines of the original; comments, the insides of literals
/// and items under `#[cfg(test)]` are spaces in it.
#[derive(Debug)]
pub struct Source {
    pub path: String,
    pub code: String,
    /// String literals outside tests, with the line on which each begins, from 1.
    pub strings: Vec<(usize, String)>,
    /// The file as it is.
    pub raw: String,
    /// Files and folders, without `.rs`, of modules that it declares under `#[cfg(test)]`.
    pub test_modules: Vec<String>,
    /// Where the words and marks of `code` are.
    spans: Vec<Range<usize>>,
}

impl Source {
    pub fn parse(path: &str, raw: &str) -> Self {
        let (code, literals) = mask(raw);
        let tests = test_items(&code);
        let test_modules = tests
            .iter()
            .filter_map(|range| declared(path, &code[range.clone()], &raw[range.clone()]))
            .collect();
        let mut bytes = code.into_bytes();
        for range in &tests {
            blank(&mut bytes, range.clone());
        }
        let code = String::from_utf8(bytes).unwrap_or_default();
        let strings = literals
            .into_iter()
            .filter(|(at, _)| !tests.iter().any(|t| t.contains(at)))
            .map(|(at, text)| (line_of(raw, at), text))
            .collect();
        let spans = tokens(&code).map(|(at, token)| at..at + token.len()).collect();
        Self { path: path.to_owned(), code, strings, raw: raw.to_owned(), test_modules, spans }
    }

    /// Words and marks of the code, with their offsets.
    pub fn words(&self) -> impl Iterator<Item = (usize, &str)> {
        self.spans.iter().map(|span| (span.start, &self.code[span.clone()]))
    }

    /// Lines on which the word sequence stands in code, spaces ignored: `Instant :: now` is found as `Instant::now`.
    pub fn lines_with(&self, needle: &str) -> Vec<usize> {
        let wanted: Vec<&str> = tokens(needle).map(|(_, t)| t).collect();
        let starts = self.places(&wanted).into_iter().map(|i| self.spans[i].start);
        starts.map(|at| line_of(&self.code, at)).collect()
    }

    /// The words that follow a sequence, with their lines; of a group in braces, the first word of each member.
    pub fn after(&self, sequence: &[&str]) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for i in self.places(sequence) {
            let mut depth = 0_i32;
            let mut first = true;
            for (at, token) in self.words().skip(i + sequence.len()) {
                match token {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    "," if depth == 1 => first = true,
                    word if first => {
                        found.push((line_of(&self.code, at), word.to_owned()));
                        first = false;
                    }
                    _ => {}
                }
                if depth <= 0 {
                    break;
                }
            }
        }
        found
    }

    /// Where, in words, a sequence begins.
    fn places(&self, sequence: &[&str]) -> Vec<usize> {
        // Most words are in few files, and to look for a text is quick.
        if !sequence.iter().all(|word| self.code.contains(word)) {
            return Vec::new();
        }
        let is_here = |w: &[Range<usize>]| w.iter().zip(sequence).all(|(s, t)| self.code[s.clone()] == **t);
        let windows = self.spans.windows(sequence.len().max(1)).enumerate();
        windows.filter(|(_, w)| is_here(w)).map(|(i, _)| i).collect()
    }

    /// Functions with a body: name, first line, lines. Tests count too.
    pub fn functions(&self) -> Vec<(String, usize, usize)> {
        let (code, _) = mask(&self.raw);
        let all: Vec<(usize, &str)> = tokens(&code).collect();
        let mut found = Vec::new();
        for pair in all.windows(2).filter(|p| p[0].1 == "fn" && p[1].1.starts_with(is_word)) {
            // A `;` before any `{` means a declaration, unless it is the one of an array type: `[u8; 2]`.
            if let Some(body) = body_after(&code, pair[1].0) {
                let (first, last) = (line_of(&code, pair[0].0), line_of(&code, body.end));
                found.push((pair[1].1.to_owned(), first, last - first + 1));
            }
        }
        found
    }
}

/// Line, from 1, of a byte offset.
pub fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Words, `::` and single marks, with their offsets.
pub fn tokens(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += code[at..].len() - code[at..].trim_start().len();
        let rest = &code[at..];
        let first = rest.chars().next()?;
        let len = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        at += len;
        Some((at - len, &rest[..len]))
    })
}

/// Blanks comments and the insides of literals; gives the string literals with the offsets of their first quotes.
fn mask(raw: &str) -> (String, Vec<(usize, String)>) {
    let mut out = raw.as_bytes().to_vec();
    let mut strings = Vec::new();
    let mut at = 0;
    while at < raw.len() {
        let rest = &raw[at..];
        let before = raw[..at].chars().next_back().is_some_and(is_word);
        if rest.starts_with("//") {
            let end = at + rest.find('\n').unwrap_or(rest.len());
            blank(&mut out, at..end);
            at = end;
        } else if rest.starts_with("/*") {
            let end = at + block_comment(rest);
            blank(&mut out, at..end);
            at = end;
        } else if let Some((open, inside, close)) = (!before).then(|| string_literal(rest)).flatten() {
            let (start, end) = (at + open, at + open + inside);
            strings.push((at, raw[start..end].to_owned()));
            blank(&mut out, start..end);
            at = end + close;
        } else if let Some(len) = char_literal(rest) {
            blank(&mut out, at + 1..at + len - 1);
            at += len;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    (String::from_utf8(out).unwrap_or_default(), strings)
}

fn blank(bytes: &mut [u8], range: Range<usize>) {
    bytes[range].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
}

/// Length of a block comment; they nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_u32, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// Of a string literal that begins here (`"`, `r#"`, `b"`, …): bytes of its opening, its inside and its closing.
fn string_literal(rest: &str) -> Option<(usize, usize, usize)> {
    let prefix = rest.find(|c| !matches!(c, 'b' | 'c' | 'r')).filter(|n| *n <= 2)?;
    let is_raw = rest[..prefix].contains('r');
    let marks = if is_raw { rest[prefix..].bytes().take_while(|b| *b == b'#').count() } else { 0 };
    let inside = rest[prefix + marks..].strip_prefix('"')?;
    let open = prefix + marks + 1;
    if is_raw {
        let close = format!("\"{}", "#".repeat(marks));
        return Some(inside.find(&close).map_or((open, inside.len(), 0), |n| (open, n, close.len())));
    }
    let mut escaped = false;
    for (at, b) in inside.bytes().enumerate() {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some((open, at, 1)),
            _ => {}
        }
    }
    Some((open, inside.len(), 0))
}

/// Length of a character literal that begins here; `None` for a lifetime.
fn char_literal(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('\'')?;
    let mut chars = inside.char_indices();
    let (_, first) = chars.next()?;
    if first == '\\' {
        chars.next()?;
        return chars.find(|(_, c)| *c == '\'').map(|(at, _)| at + 2);
    }
    chars.next().filter(|(_, c)| *c == '\'').map(|(at, _)| at + 2)
}

/// The braces, and what is between them, of the item whose head goes on at `from`. `None` when the item has none.
fn body_after(code: &str, from: usize) -> Option<Range<usize>> {
    let (mut depth, mut brackets, mut start) = (0_u32, 0_i32, None);
    for (at, token) in tokens(&code[from..]) {
        match token {
            "{" => {
                start.get_or_insert(from + at);
                depth += 1;
            }
            "}" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return start.map(|s| s..from + at + 1);
                }
            }
            "(" | "[" => brackets += 1,
            ")" | "]" => brackets -= 1,
            ";" if depth == 0 && brackets == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Every item under `#[cfg(test)]`, from its attribute to its last brace or semicolon.
fn test_items(code: &str) -> Vec<Range<usize>> {
    let all: Vec<(usize, &str)> = tokens(code).collect();
    let mark = ["#", "[", "cfg", "(", "test", ")", "]"];
    all.windows(mark.len())
        .filter(|w| w.iter().map(|(_, t)| *t).eq(mark))
        .map(|w| {
            let (start, head) = (w[0].0, w[mark.len() - 1].0 + 1);
            let end = body_after(code, head)
                .map(|b| b.end)
                .or_else(|| code[head..].find(';').map(|n| head + n + 1))
                .unwrap_or(code.len());
            start..end
        })
        .collect()
}

/// Where the module lies that an item declares, if it is a `mod name;`, with or without a path.
fn declared(path: &str, item: &str, raw: &str) -> Option<String> {
    let words: Vec<&str> = tokens(item).map(|(_, t)| t).collect();
    let [.., "mod", name, ";"] = words[..] else { return None };
    if let Some((_, rest)) = raw.split_once("#[path = \"") {
        let file = rest.split('"').next()?.trim_end_matches(".rs");
        return Some(format!("{}/{file}", path.rsplit_once('/')?.0));
    }
    let folder = path.strip_suffix("/mod.rs").or_else(|| path.strip_suffix("/lib.rs"));
    Some(format!("{}/{name}", folder.unwrap_or(path.trim_end_matches(".rs"))))
}

#[test]
fn test_modules_are_located() {
    let test_modules = |path| Source::parse(path, "#[cfg(test)]\nmod tests;\nmod other;").test_modules;
    assert_eq!(test_modules("a/src/speech/mod.rs"), ["a/src/speech/tests"]);
    assert_eq!(test_modules("a/src/cache.rs"), ["a/src/cache/tests"]);
    let with_path = Source::parse("a/src/cache.rs", "#[cfg(test)]\n#[path = \"cache_tests.rs\"]\nmod tests;");
    assert_eq!(with_path.test_modules, ["a/src/cache_tests"]);
}

#[test]
fn comments_and_literals_are_not_code() {
    let raw = "let a = \"tokio::x\"; // tokio::y\n/* tokio /* :: */ */ let b = '\\''; let r = r#\"a\"b\"#; fn f<'a>() {}";
    let s = Source::parse("x.rs", raw);
    assert!(!s.code.contains("tokio"), "{}", s.code);
    assert_eq!(s.code.len(), raw.len());
    assert_eq!(s.strings, [(1, "tokio::x".to_owned()), (2, "a\"b".to_owned())]);
    assert!(s.code.contains("fn f<'a>() {}"));
}

#[test]
fn test_items_are_left_out() {
    let raw =
        "fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() { now(\"in test\"); }\n}\nfn c() { say(\"out\"); }\n";
    let s = Source::parse("x.rs", raw);
    assert!(s.code.contains("fn a") && s.code.contains("fn c") && !s.code.contains("now"));
    assert_eq!(s.strings, [(6, "out".to_owned())]);
}

#[test]
fn word_sequences_are_found_across_spaces_and_only_whole() {
    let s = Source::parse("x.rs", "let x = Instant ::\n now();\nlet y = MyInstant::now();");
    assert_eq!(s.lines_with("Instant::now"), [1]);
}

#[test]
fn functions_are_measured_to_their_last_brace() {
    let s =
        Source::parse("x.rs", "trait T { fn d(&self) -> [u8; 2]; }\nfn f(x: [u8; 2]) -> u8 {\n  { 1 }\n}\n");
    assert_eq!(s.functions(), [("f".to_owned(), 2, 3)]);
}
