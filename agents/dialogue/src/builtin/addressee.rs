//! For whom a message is: said in the opening, with the message, or only when it is read back.

use language::reply::Kind;
use language::{Ear, Language};

use super::reply::Reply;
use super::state::Filled;
use super::turn::Turn;

/// The slot that holds a message.
pub(super) const MESSAGE: &str = "message";

impl Turn<'_> {
    /// Takes for whom the message is. Gives whether a message that was taken down is changed by it.
    pub(super) fn take_addressee(&mut self, reply: &Reply) -> bool {
        let takes = self.current().is_some_and(|(_, script)| script.slot(MESSAGE).is_some());
        let Some(to) = reply.all(Kind::To, ", ").filter(|_| takes) else { return false };
        let plain = format!(" {} ", self.ear.plain(&self.whole));
        let wanted = self.ear.plain(&to);
        let leads: &[&str] = match self.ear.0 {
            Language::En => &["for", "to"],
            Language::Es => &["para", "a", "al"],
        };
        let led = leads.iter().any(|lead| plain.contains(&format!(" {lead} {wanted} ")));
        let Some(task) = self.state.tasks.last_mut() else { return false };
        // "Tell her it's Marcy Boyd", where it is known to be for Linda Perez: that is who calls.
        if !task.to.is_empty() && !led {
            return false;
        }
        let told = task.slots.get(MESSAGE).map(|held| unaddressed(self.ear, &task.to, held));
        to.clone_into(&mut task.to);
        let Some(told) = told else { return false };
        let with = addressed(self.ear, &to, &told);
        let changed = task.slots.get(MESSAGE) != Some(&with);
        task.fill(MESSAGE, with);
        changed
    }

    /// A message as it is kept: with whom it is for, where that is known.
    pub(super) fn with_addressee(&self, told: Filled) -> Filled {
        match self.state.task().map(|task| task.to.as_str()).filter(|to| !to.is_empty()) {
            Some(to) => addressed(self.ear, to, &unaddressed(self.ear, to, &told)),
            None => told,
        }
    }
}

fn lead(ear: Ear, to: &str) -> String {
    format!("{} {to}: ", ear.cues().says.for_whom)
}

fn addressed(ear: Ear, to: &str, told: &Filled) -> Filled {
    let with = |text: &str| format!("{}{text}", lead(ear, to));
    Filled::new(with(&told.value), with(&told.spoken))
}

fn unaddressed(ear: Ear, to: &str, told: &Filled) -> Filled {
    let lead = lead(ear, to);
    let bare = |text: &str| text.strip_prefix(&lead).unwrap_or(text).to_owned();
    Filled::new(bare(&told.value), bare(&told.spoken))
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;

    #[test]
    fn an_addressee_is_put_once() {
        let ear = Ear(Language::Es);
        let told = addressed(ear, "Patricia", &Filled::new("Tengo los planos.", "Tengo los planos."));
        assert_eq!(told.value, "Para Patricia: Tengo los planos.");
        assert_eq!(unaddressed(ear, "Patricia", &told).value, "Tengo los planos.");
        assert_eq!(unaddressed(ear, "", &told).value, told.value);
    }
}
