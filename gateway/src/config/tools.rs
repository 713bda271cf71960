//! What agents and programs may do by themselves.

use work::clerk::holdable;
use work::tools::registry::Policy;

use super::source::Source;

/// Settings of tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    /// Highest level (1 to 5) of autonomy that the agents of a front desk act on, driven by a model or used by programs
    /// over MCP, whatever their records have earned.
    pub autonomy: u8,
    /// Tools of the front desk whose effect waits for a person on every level.
    pub held: Vec<String>,
}

impl Tools {
    #[must_use]
    pub fn policy(&self) -> Policy {
        Policy::new(self.autonomy, self.held.iter().cloned())
    }
}

pub(super) fn read(s: &mut Source<'_>) -> Tools {
    let autonomy = s.number("tools.autonomy", None, 1..=5).and_then(|level| u8::try_from(level).ok());
    let mut held = Vec::new();
    if let Some((names, origin)) = s.list("tools.held", None) {
        let known: Vec<&str> = holdable().collect();
        if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
            let problem = format!("`{unknown}` is no tool that can wait for a person");
            s.problem(origin, problem, format!("choose from {}", known.join(", ")));
        }
        held = names;
    }
    Tools { autonomy: autonomy.unwrap_or(5), held }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_cannot_wait_is_named_with_those_that_can() {
        let load = |text: &str| {
            let mut source = Source::new(text.parse().unwrap(), "t.toml".to_owned(), &|_| None);
            let tools = read(&mut source);
            (tools, source.finish())
        };
        let (tools, problems) = load("[tools]\nautonomy = 3\nheld = [\"take_message\"]\n");
        assert!(problems.is_empty() && tools.autonomy == 3 && tools.held == ["take_message"], "{problems:?}");
        for wrong in ["search_knowledge", "end_call", "pay"] {
            let (_, problems) = load(&format!("[tools]\nheld = [\"{wrong}\"]\n"));
            let shown = format!("{problems:?}");
            assert!(shown.contains(wrong) && shown.contains("take_message"), "{shown}");
        }
        assert_eq!(load("[tools]\nautonomy = 6\n").1.len(), 1);
    }
}
