//! From tokens to rules: by hand, so that each mistake is told with its place and the way to put it right.

use super::ast::{Comparison, ConditionText, ConstantsText, Expr, FileText, Given, Is, Key, RuleText};
use super::fault::RuleError;
use super::lex::{Tok, Token, tokens};

/// Bytes of one text of rules.
pub(super) const LONGEST: usize = 64 * 1024;
/// Rules, and conditions, of one text.
pub(super) const MOST_RULES: usize = 200;
/// Brackets in brackets.
const DEEPEST: usize = 24;
/// Values of one list.
const MOST_VALUES: usize = 300;

const EXPRESSION: &str = "An expression is a field, a text in quotes, a number, money ($35), true, false, a list [..], a function, or one of these compared.";

/// Reads one text.
pub(super) fn parse(file: &'static str, text: &str) -> Result<FileText, RuleError> {
    if text.len() > LONGEST {
        let fix = format!("A text of rules has {LONGEST} bytes at most.");
        return Err(RuleError::new(file, text, LONGEST, "the rules are too long", fix));
    }
    let mut parser = Parser { file, text, tokens: tokens(file, text)?, next: 0, depth: 0 };
    parser.all()
}

/// Reads one expression, for tests.
#[cfg(test)]
pub(super) fn expression(text: &str) -> Result<Expr, RuleError> {
    let mut parser = Parser { file: "tenant", text, tokens: tokens("tenant", text)?, next: 0, depth: 0 };
    let expr = parser.any()?;
    match parser.tok() {
        Tok::End => Ok(expr),
        _ => Err(parser.fault("something follows the expression", EXPRESSION)),
    }
}

struct Parser<'a> {
    file: &'static str,
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

impl Parser<'_> {
    fn tok(&self) -> &Tok {
        self.tokens.get(self.next).map_or(&Tok::End, |token| &token.tok)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |token| token.at)
    }

    fn fault(&self, message: impl Into<String>, fix: impl Into<String>) -> RuleError {
        self.fault_at(self.at(), message, fix)
    }

    fn fault_at(&self, at: usize, message: impl Into<String>, fix: impl Into<String>) -> RuleError {
        RuleError::new(self.file, self.text, at, message, fix)
    }

    fn take(&mut self) -> Tok {
        let tok = self.tok().clone();
        self.next += 1;
        tok
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.tok(), Tok::Sign(found) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.tok(), Tok::Name(found) if found == word)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let is = self.is_sign(sign);
        self.next += usize::from(is);
        is
    }

    fn sign(&mut self, sign: &str, what: &str) -> Result<(), RuleError> {
        if self.take_sign(sign) {
            return Ok(());
        }
        Err(self.fault(format!("{sign} is missing {what}"), format!("Write {sign} here.")))
    }

    fn name(&mut self, what: &str, fix: &str) -> Result<(String, usize), RuleError> {
        let at = self.at();
        match self.take() {
            Tok::Name(name) => Ok((name, at)),
            _ => Err(self.fault_at(at, format!("{what} is missing"), fix)),
        }
    }

    // ------------------------------------------------------------ the file

    fn all(&mut self) -> Result<FileText, RuleError> {
        let mut file = FileText::default();
        loop {
            let at = self.at();
            match self.take() {
                Tok::End => return Ok(file),
                Tok::Name(word) if word == "rule" => file.rules.push(self.rule()?),
                Tok::Name(word) if word == "condition" => file.conditions.push(self.condition()?),
                Tok::Name(word) if word == "constants" => self.constants(&mut file.constants)?,
                _ => {
                    return Err(self.fault_at(
                        at,
                        "a rule, a condition or the constants should begin here",
                        "Write rule ID { … }, condition NAME = EXPRESSION, or constants { … }.",
                    ));
                }
            }
            if file.rules.len() > MOST_RULES || file.conditions.len() > MOST_RULES {
                let fix = format!("A text holds {MOST_RULES} rules and {MOST_RULES} conditions at most.");
                return Err(self.fault_at(at, "there are too many rules", fix));
            }
        }
    }

    fn rule(&mut self) -> Result<RuleText, RuleError> {
        let (id, at) = self.name("the rule's id", "Write rule no-refunds { … }.")?;
        self.sign("{", "after the rule's id")?;
        let mut keys: Vec<(Key, usize, Given)> = Vec::new();
        while !self.take_sign("}") {
            let (written, place) = self.name("a key of the rule, or its closing }", KEYS)?;
            let Some(key) = Key::of(&written) else {
                let known: Vec<&str> = Key::ALL.iter().map(|(_, written)| *written).collect();
                let fix = format!("Write one of: {}.", known.join(", "));
                return Err(self.fault_at(place, format!("a rule has no key {written:?}"), fix));
            };
            if keys.iter().any(|(known, ..)| *known == key) {
                return Err(self.fault_at(
                    place,
                    format!("{written} is given twice"),
                    "Keep one of the two.",
                ));
            }
            self.sign(":", "after the key")?;
            let given = self.given(key)?;
            keys.push((key, place, given));
        }
        Ok(RuleText { id, at, keys })
    }

    fn given(&mut self, key: Key) -> Result<Given, RuleError> {
        match key {
            Key::Condition | Key::Requirement => Ok(Given::Expr(self.any()?)),
            Key::Category | Key::AppliesTo | Key::Action | Key::UnlessRule | Key::DropsRest => {
                let what = format!("the word for {}", key.written());
                Ok(Given::Word(self.name(&what, "Write a word without quotes.")?.0))
            }
            _ => {
                let at = self.at();
                match self.take() {
                    Tok::Text(text) => Ok(Given::Text(text)),
                    _ => Err(self.fault_at(
                        at,
                        format!("the text for {} is missing", key.written()),
                        "Write a text in quotes.",
                    )),
                }
            }
        }
    }

    fn condition(&mut self) -> Result<ConditionText, RuleError> {
        let (name, at) = self.name("the condition's name", "Write condition NAME = EXPRESSION.")?;
        self.sign("=", "after the condition's name")?;
        Ok(ConditionText { name, at, expr: self.any()? })
    }

    fn constants(&mut self, into: &mut ConstantsText) -> Result<(), RuleError> {
        const KINDS: &str = "Write money: [$35], percents: [2.4], phones: ['202-555-0110'], links: ['county.gov/pay'] or texts: ['…'].";
        self.sign("{", "after constants")?;
        while !self.take_sign("}") {
            let (kind, place) = self.name("a kind of constants, or the closing }", KINDS)?;
            self.sign(":", "after the kind")?;
            let list = self.list()?;
            for value in list {
                match (kind.as_str(), value.is) {
                    ("money", Is::Money(cents)) => into.money.push(cents),
                    ("percents", Is::Number(thousandths)) => into.percents.push(thousandths),
                    ("phones", Is::Text(text)) => into.phones.push(text),
                    ("links", Is::Text(text)) => into.links.push(text),
                    ("texts", Is::Text(text)) => into.texts.push(text),
                    ("money" | "percents" | "phones" | "links" | "texts", _) => {
                        return Err(self.fault_at(value.at, format!("this is none of the {kind}"), KINDS));
                    }
                    _ => {
                        return Err(self.fault_at(
                            place,
                            format!("there are no constants named {kind:?}"),
                            KINDS,
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    // ------------------------------------------------------------ expressions

    fn any(&mut self) -> Result<Expr, RuleError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let fix =
                format!("Brackets go {DEEPEST} deep at most; give a part a name with condition NAME = ….");
            return Err(self.fault("the expression is too deep", fix));
        }
        let expr = self.chain("or", Is::Any, |p| p.chain("and", Is::All, Self::negated))?;
        self.depth -= 1;
        Ok(expr)
    }

    fn chain(
        &mut self,
        word: &str,
        together: fn(Vec<Expr>) -> Is,
        part: impl Fn(&mut Self) -> Result<Expr, RuleError>,
    ) -> Result<Expr, RuleError> {
        let first = part(self)?;
        if !self.is_word(word) {
            return Ok(first);
        }
        let at = first.at;
        let mut all = vec![first];
        while self.is_word(word) {
            self.next += 1;
            all.push(part(self)?);
        }
        Ok(Expr { is: together(all), at })
    }

    fn negated(&mut self) -> Result<Expr, RuleError> {
        let at = self.at();
        // A loop, so that a thousand "not" cost no depth.
        let mut negated = false;
        let mut any = false;
        while self.is_word("not") {
            self.next += 1;
            negated = !negated;
            any = true;
        }
        let inner = self.compared()?;
        if !any {
            return Ok(inner);
        }
        let once = Expr { is: Is::Not(Box::new(inner)), at };
        Ok(if negated { once } else { Expr { is: Is::Not(Box::new(once)), at } })
    }

    fn compared(&mut self) -> Result<Expr, RuleError> {
        let left = self.value()?;
        let found = match self.tok() {
            Tok::Sign(sign) => Comparison::ALL.iter().find(|(_, written)| written == sign),
            Tok::Name(word) => Comparison::ALL.iter().find(|(_, written)| written == word),
            _ => None,
        };
        let Some((how, _)) = found.copied() else {
            if self.is_sign("=") {
                return Err(self.fault("= compares nothing", "Write == to compare."));
            }
            return Ok(left);
        };
        let at = self.at();
        self.next += 1;
        let right = self.value()?;
        Ok(Expr { is: Is::Compare { left: Box::new(left), how, right: Box::new(right) }, at })
    }

    fn value(&mut self) -> Result<Expr, RuleError> {
        let at = self.at();
        if self.is_sign("[") {
            return Ok(Expr { is: Is::List(self.list()?), at });
        }
        let is = match self.take() {
            Tok::Name(word) if matches!(word.as_str(), "true" | "True") => Is::Bool(true),
            Tok::Name(word) if matches!(word.as_str(), "false" | "False") => Is::Bool(false),
            Tok::Name(word) if is_reserved(&word) => {
                return Err(self.fault_at(at, format!("a value is missing before {word:?}"), EXPRESSION));
            }
            Tok::Name(name) if self.is_sign("(") => Is::Call { function: name, given: self.given_to()? },
            Tok::Name(name) => Is::Name(name),
            Tok::Text(text) => Is::Text(text),
            Tok::Number(n) => {
                self.take_sign("%");
                Is::Number(n)
            }
            Tok::Money(cents) => Is::Money(cents),
            Tok::Sign("(") => {
                let inner = self.any()?;
                self.sign(")", "at the end of the bracket")?;
                return Ok(inner);
            }
            _ => return Err(self.fault_at(at, "an expression should stand here", EXPRESSION)),
        };
        Ok(Expr { is, at })
    }

    fn list(&mut self) -> Result<Vec<Expr>, RuleError> {
        self.sign("[", "at the beginning of the list")?;
        let mut all = Vec::new();
        while !self.take_sign("]") {
            let at = self.at();
            // No list in a list, so that a text of brackets goes nowhere deep.
            let is = match self.take() {
                Tok::Text(text) => Is::Text(text),
                Tok::Number(n) => {
                    self.take_sign("%");
                    Is::Number(n)
                }
                Tok::Money(cents) => Is::Money(cents),
                _ => {
                    let fix = "Lists hold texts, numbers or money, and end with ].";
                    return Err(self.fault_at(at, "this cannot stand in a list", fix));
                }
            };
            all.push(Expr { is, at });
            if all.len() > MOST_VALUES {
                let fix = format!("A list holds {MOST_VALUES} values at most.");
                return Err(self.fault_at(at, "the list is too long", fix));
            }
            if !self.take_sign(",") && !self.is_sign("]") {
                return Err(
                    self.fault("the list does not end", "Write a comma between two values and ] at the end.")
                );
            }
        }
        Ok(all)
    }

    fn given_to(&mut self) -> Result<Vec<Expr>, RuleError> {
        self.sign("(", "after the function")?;
        let mut all = Vec::new();
        while !self.take_sign(")") {
            all.push(self.any()?);
            if !self.take_sign(",") && !self.is_sign(")") {
                return Err(self.fault(
                    "the function's values do not end",
                    "Write a comma between two values and ) at the end.",
                ));
            }
        }
        Ok(all)
    }
}

const KEYS: &str = "A rule is a list of KEY: VALUE between { and }.";

fn is_reserved(word: &str) -> bool {
    matches!(word, "and" | "or" | "not" | "in" | "contains" | "matches")
}
