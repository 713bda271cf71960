//! The border of the sensitive zone, as those below it see it.

/// Takes text that is about to leave the sensitive zone and gives it back with personal data as typed tokens
/// (`⟨phone:1⟩`). One per call: the same value keeps its token.
pub trait Screen: Send + 'static {
    fn screen(&mut self, text: &str) -> String;

    /// The same for a text that a longer one will replace: nothing of it is remembered for the texts to come.
    fn glimpse(&mut self, text: &str) -> String {
        self.screen(text)
    }

    /// The token of a whole text that is personal by its place, as a field called "name" is: no detector knows every name.
    /// `kind` is the word in the token.
    fn token(&mut self, kind: &str, _text: &str) -> String {
        format!("⟨{kind}:1⟩")
    }

    /// What a token of this screen stands for, for a person who may see it. `None` for what nobody is told (a card, a
    /// social security number) and for a token that it did not make.
    fn stands_for(&self, _token: &str) -> Option<String> {
        None
    }
}
