//! Thoughts that a local reasoning model writes into its answer: `<think>…</think>` at the beginning. Nobody shall
//! hear them.

use language::shown::Shape;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Takes the answer's text piece by piece and gives what may be spoken.
pub(super) enum Thoughts {
    /// So far nothing, or what may become the opening tag.
    Unknown(String),
    /// The last characters, which may become the closing tag.
    Thinking(String),
    /// The line feeds after the closing tag are no speech.
    Closed,
    Speaking,
}

impl std::fmt::Debug for Thoughts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown(text) => write!(f, "Unknown({:?})", text.shape()),
            Self::Thinking(text) => write!(f, "Thinking({:?})", text.shape()),
            Self::Closed => f.write_str("Closed"),
            Self::Speaking => f.write_str("Speaking"),
        }
    }
}

impl Default for Thoughts {
    fn default() -> Self {
        Self::Unknown(String::new())
    }
}

impl Thoughts {
    /// The part of `text` that may be spoken.
    pub(super) fn pass(&mut self, text: &str) -> String {
        match self {
            Self::Speaking => text.to_owned(),
            Self::Closed => {
                let text = text.trim_start();
                if !text.is_empty() {
                    *self = Self::Speaking;
                }
                text.to_owned()
            }
            Self::Unknown(held) => {
                held.push_str(text);
                let begin = held.trim_start();
                if let Some(rest) = begin.strip_prefix(OPEN) {
                    let rest = rest.to_owned();
                    *self = Self::Thinking(String::new());
                    return self.pass(&rest);
                }
                if OPEN.starts_with(begin) {
                    return String::new();
                }
                let all = std::mem::take(held);
                *self = Self::Speaking;
                all
            }
            Self::Thinking(tail) => {
                tail.push_str(text);
                if let Some((_, rest)) = tail.split_once(CLOSE) {
                    let rest = rest.to_owned();
                    *self = Self::Closed;
                    return self.pass(&rest);
                }
                let keep = tail.len().saturating_sub(CLOSE.len() - 1);
                let keep = (keep..tail.len()).find(|i| tail.is_char_boundary(*i)).unwrap_or(tail.len());
                tail.drain(..keep);
                String::new()
            }
        }
    }

    /// What was held back and turned out to be no tag.
    pub(super) fn finish(&mut self) -> String {
        match self {
            Self::Unknown(held) if !held.trim().is_empty() => std::mem::take(held),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(pieces: &[&str]) -> String {
        let mut thoughts = Thoughts::default();
        let passed: String = pieces.iter().map(|p| thoughts.pass(p)).collect();
        passed + &thoughts.finish()
    }

    #[test]
    fn thoughts_at_the_beginning_are_taken_out_however_they_are_cut() {
        let whole = "\n<think>\nsí, ¿qué? < </thin </think>\n\nSure <think> so.";
        for size in 1..whole.chars().count() {
            let chars: Vec<char> = whole.chars().collect();
            let pieces: Vec<String> = chars.chunks(size).map(|c| c.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(spoken(&pieces), "Sure <think> so.", "{size}");
        }
    }

    #[test]
    fn text_without_thoughts_passes_at_once_and_whole() {
        assert_eq!(Thoughts::default().pass("Sure"), "Sure");
        assert_eq!(spoken(&["<th", "ree>"]), "<three>");
        assert_eq!(spoken(&["<thi"]), "<thi");
        assert_eq!(spoken(&["<think>never closed"]), "");
    }
}
