//! Writes what the recurrent net looks at in each word of the replies, a reply a line, for `data/reply/train_net.py`.

use std::error::Error;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use language::Language;
use language::reply::{Asked, features};
use language::tagger::model::Model as Tagger;
use language::tagger::token::{Token, tokens};

use crate::parts::marked::{self, Marked};

/// Of all `*.tsv` of a folder, each as it stands and as recognizers write: asked, language, then label and numbers of each word.
pub fn write(folder: &Path, out: &Path, kinds: &[String]) -> Result<(), Box<dyn Error>> {
    let tagger = Tagger::shipped()?;
    let mut files: Vec<_> = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut out = BufWriter::new(fs::File::create(out)?);
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "tsv")) {
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let language = Language::of(name.split('-').next().unwrap_or_default()).ok_or("en-… or es-…")?;
        for reply in marked::read(file, language, kinds, true)? {
            one(&reply, tagger, &mut out)?;
            one(&reply.bare(), tagger, &mut out)?;
        }
    }
    out.flush()?;
    Ok(())
}

fn one(reply: &Marked, tagger: &Tagger, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let words = tokens(&reply.text, tagger.lexicon());
    if words.is_empty() {
        return Ok(());
    }
    let context = features::Context::new(tagger, &words, reply.asked, reply.language);
    let asked = reply.asked.unwrap_or(Asked::What) as u8;
    write!(out, "{asked} {}", u8::from(reply.language == Language::Es))?;
    for ((word, tag), label) in words.iter().zip(context.tagged()).zip(reply.labels(&words)) {
        let Token { hash, classes, form, suffixes, prefixes, .. } = word;
        let ends = [suffixes[1], suffixes[2] ^ 0x5bd1, prefixes[2] ^ 0x77, prefixes[3] ^ 0x1234];
        write!(out, "\t{label} {} {classes} {} {tag}", hash >> 11, *form as u8)?;
        ends.iter().try_for_each(|end| write!(out, " {end}"))?;
        write!(out, " {} {}", word.start, word.end)?;
    }
    writeln!(out, "\t={}", reply.text)?;
    Ok(())
}
