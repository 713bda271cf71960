//! A set of rules: the platform's, and a tenant's on top. Loaded whole or not at all.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use language::Language;

use super::ast::{Expr, FileText, Given, Is, Key, RuleText};
use super::compile::{Compiled, Scope, truth};
use super::engine::holds;
use super::explain::{asks_meaning, found};
use super::fault::RuleError;
use super::fields::{Field, Proposed, says_something};
use super::known::Known;
use super::parse::parse;
use super::{AppliesTo, Category, Phrasing, ProposedTool, Rule, RuleAction, Spoken, Tier, Violation};

/// What ships.
const SHIPPED: &[(&str, &str)] = &[
    ("government.rules", include_str!("../../data/rules/government.rules")),
    ("emergency.rules", include_str!("../../data/rules/emergency.rules")),
    ("constants.rules", include_str!("../../data/rules/constants.rules")),
    ("advice.rules", include_str!("../../data/rules/advice.rules")),
    ("disclosure.rules", include_str!("../../data/rules/disclosure.rules")),
    ("meaning.rules", include_str!("../../data/rules/meaning.rules")),
];
/// Name of a tenant's text in messages.
const TENANT: &str = "tenant";

static PLATFORM: LazyLock<Result<Layer, RuleError>> = LazyLock::new(|| Layer::platform(SHIPPED));

/// The parts of a rule that are looked at.
#[derive(Debug)]
pub(super) struct Logic {
    condition: Option<Compiled>,
    requirement: Compiled,
    written: Expr,
    /// Place in the set of the rule that excuses this one.
    unless: Option<usize>,
}

type Conditions = HashMap<String, Arc<Compiled>>;

/// Rules of one origin, on top of another's.
#[derive(Clone, Default, Debug)]
struct Layer {
    rules: Vec<Arc<Rule>>,
    conditions: Conditions,
    constants: Known,
}

/// One text while it is read.
struct Source<'a> {
    file: &'static str,
    text: &'a str,
    read: FileText,
}

impl Source<'_> {
    fn fault(&self, at: usize, message: impl Into<String>, fix: impl Into<String>) -> RuleError {
        RuleError::new(self.file, self.text, at, message, fix)
    }
}

/// All rules that hold for one tenant.
#[derive(Clone, Debug)]
pub struct RuleSet {
    layer: Layer,
    tenant_text: String,
}

impl RuleSet {
    /// The shipped rules with a tenant's on top; `tenant` may be empty. `numbers`, the tenant's own, may be spoken.
    ///
    /// # Errors
    /// The first mistake of the tenant's text, with its place and its fix; nothing of it holds then.
    pub fn load(tenant: &str, numbers: &[String]) -> Result<Self, RuleError> {
        let platform = PLATFORM.as_ref().map_err(Clone::clone)?;
        Self::on(platform, tenant, numbers)
    }

    /// Whether the shipped rules are sound, which tests see to.
    ///
    /// # Errors
    /// Their first mistake.
    pub fn check_shipped() -> Result<(), RuleError> {
        PLATFORM.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    fn on(platform: &Layer, tenant: &str, numbers: &[String]) -> Result<Self, RuleError> {
        let source = Source { file: TENANT, text: tenant, read: parse(TENANT, tenant)? };
        let mut layer = platform.clone();
        layer.constants.learn_everywhere();
        for number in numbers {
            layer.constants.learn_phone(number);
        }
        layer.add(std::slice::from_ref(&source), Tier::Tenant)?;
        let set = Self { layer, tenant_text: tenant.to_owned() };
        set.check_replacements(&source)?;
        Ok(set)
    }

    /// A set over other platform rules, for tests.
    #[cfg(test)]
    pub(super) fn over(platform: &str, tenant: &str) -> Result<Self, RuleError> {
        Self::on(&Layer::platform(&[("platform", platform)])?, tenant, &crate::county::numbers())
    }

    /// What a tenant has said instead must not itself be forbidden.
    fn check_replacements(&self, source: &Source<'_>) -> Result<(), RuleError> {
        for written in &source.read.rules {
            let Some(rule) = self.layer.rules.iter().find(|rule| rule.id == written.id) else { continue };
            for (key, language) in [(Key::ReplacementEn, Language::En), (Key::ReplacementEs, Language::Es)] {
                let Some(phrasing) = &rule.replacement else { continue };
                let spoken = Spoken::new(phrasing.of(language), language);
                if let Some(broken) = self.check_words(&spoken).into_iter().find(|v| !v.permits()) {
                    let at =
                        written.keys.iter().find(|(k, ..)| *k == key).map_or(written.at, |(_, at, _)| *at);
                    return Err(source.fault(
                        at,
                        format!("the replacement is itself forbidden, by the rule {}", broken.rule.id),
                        format!(
                            "{} Reword it, or name what it says in the constants.",
                            broken.rule.explanation.en
                        ),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Rules in the order in which they are looked at: the platform's first.
    #[must_use]
    pub fn rules(&self) -> &[Arc<Rule>] {
        &self.layer.rules
    }

    /// The tenant's text as it was loaded.
    #[must_use]
    pub fn tenant_text(&self) -> &str {
        &self.tenant_text
    }

    /// The shipped texts, each with its name.
    #[must_use]
    pub const fn shipped_texts() -> &'static [(&'static str, &'static str)] {
        SHIPPED
    }

    /// Rules that a sentence breaks, the strongest first. Empty: it may be spoken.
    #[must_use]
    pub fn check_words(&self, spoken: &Spoken<'_>) -> Vec<Violation> {
        self.check(&Proposed::words(AppliesTo::Words, spoken, &self.layer.constants))
    }

    /// Rules that a whole reply breaks. Their replacements are added to it.
    #[must_use]
    pub fn check_reply(&self, spoken: &Spoken<'_>) -> Vec<Violation> {
        self.check(&Proposed::words(AppliesTo::Reply, spoken, &self.layer.constants))
    }

    /// Rules that a tool call breaks.
    #[must_use]
    pub fn check_tool(&self, tool: &ProposedTool<'_>) -> Vec<Violation> {
        self.check(&Proposed::tool(tool, &self.layer.constants))
    }

    /// Whether it is worth knowing what a sentence means: it has said something, and no page that was shown says it.
    #[must_use]
    pub fn asks_meaning(&self, spoken: &Spoken<'_>) -> bool {
        says_something(spoken.text)
            && !Proposed::words(AppliesTo::Words, spoken, &self.layer.constants).is_published()
    }

    fn check(&self, action: &Proposed<'_>) -> Vec<Violation> {
        let mut broken: Vec<Violation> = self
            .layer
            .rules
            .iter()
            .filter(|rule| rule.applies_to == action.applies_to && self.is_broken(rule, action))
            .map(|rule| violation(rule, action))
            .collect();
        // Stable: among equals the platform's come first, in the order of their text.
        broken.sort_by_key(|violation| Reverse(violation.rule.action));
        broken
    }

    /// Rules that excuse one another form no circle, so this ends.
    fn is_broken(&self, rule: &Rule, action: &Proposed<'_>) -> bool {
        let logic = &rule.logic;
        let applies = logic.condition.as_ref().is_none_or(|condition| holds(&condition.node, action));
        if !applies || holds(&logic.requirement.node, action) {
            return false;
        }
        let excuse = logic.unless.and_then(|at| self.layer.rules.get(at));
        !excuse.is_some_and(|other| other.applies_to == action.applies_to && self.is_broken(other, action))
    }
}

fn violation(rule: &Arc<Rule>, action: &Proposed<'_>) -> Violation {
    let explanation = rule.explanation.of(action.language);
    let found = found(&rule.logic.written, action);
    let reason = if found.is_empty() { explanation.to_owned() } else { format!("{explanation} {found}") };
    let meant = action.meant.map(|meant| meant.forbidden());
    Violation { rule: rule.clone(), reason, meant: meant.filter(|_| asks_meaning(&rule.logic.written)) }
}

// ---------------------------------------------------------------- loading

impl Layer {
    fn platform(files: &[(&'static str, &str)]) -> Result<Self, RuleError> {
        let sources = files
            .iter()
            .map(|(file, text)| Ok(Source { file, text, read: parse(file, text)? }))
            .collect::<Result<Vec<_>, RuleError>>()?;
        let mut layer = Self::default();
        layer.add(&sources, Tier::Platform)?;
        Ok(layer)
    }

    fn add(&mut self, sources: &[Source<'_>], tier: Tier) -> Result<(), RuleError> {
        self.add_conditions(sources)?;
        let first = self.rules.len();
        for source in sources {
            for written in &source.read.rules {
                let rule = self.rule(source, written, tier)?;
                self.rules.push(Arc::new(rule));
            }
        }
        self.check_excuses(sources, first)?;
        for source in sources {
            self.add_constants(&source.read);
        }
        Ok(())
    }

    fn add_constants(&mut self, read: &FileText) {
        let (into, given) = (&mut self.constants, &read.constants);
        given.money.iter().for_each(|cents| into.learn_amount(*cents));
        given.percents.iter().for_each(|n| into.learn_percent(*n));
        given.phones.iter().for_each(|number| into.learn_phone(number));
        given.links.iter().for_each(|address| into.learn_link(address));
        given.texts.iter().for_each(|text| into.learn(text));
    }

    // ------------------------------------------------------------ conditions

    fn add_conditions(&mut self, sources: &[Source<'_>]) -> Result<(), RuleError> {
        let mut all: Vec<(&Source<'_>, usize)> = Vec::new();
        for source in sources {
            for (n, condition) in source.read.conditions.iter().enumerate() {
                let name = &condition.name;
                let known = self.conditions.contains_key(name)
                    || all.iter().any(|(other, n)| other.read.conditions[*n].name == *name);
                if known || Field::of(name).is_some() {
                    return Err(source.fault(
                        condition.at,
                        format!("the condition {name:?} exists already"),
                        "Give it another name; what the platform defines cannot be changed.",
                    ));
                }
                all.push((source, n));
            }
        }
        for at in 0..all.len() {
            self.add_condition(&all, at, &mut Vec::new())?;
        }
        Ok(())
    }

    /// Compiles a condition after those that it names. `path`: conditions under way.
    fn add_condition(
        &mut self,
        all: &[(&Source<'_>, usize)],
        at: usize,
        path: &mut Vec<usize>,
    ) -> Result<(), RuleError> {
        let (source, n) = all[at];
        let condition = &source.read.conditions[n];
        if self.conditions.contains_key(&condition.name) {
            return Ok(());
        }
        if let Some(from) = path.iter().position(|other| *other == at) {
            let name = |at: &usize| all[*at].0.read.conditions[all[*at].1].name.clone();
            let circle: Vec<String> = path[from..].iter().chain([&at]).map(name).collect();
            return Err(source.fault(
                condition.at,
                format!("these conditions name each other in a circle: {}", circle.join(" -> ")),
                "Write out one of them.",
            ));
        }
        path.push(at);
        let mut names = Vec::new();
        conditions_in(&condition.expr, &mut names);
        for name in names {
            let other = all.iter().position(|(source, n)| source.read.conditions[*n].name == name);
            if let Some(other) = other {
                self.add_condition(all, other, path)?;
            }
        }
        path.pop();
        let compiled = self.compile(source, &condition.expr)?;
        self.conditions.insert(condition.name.clone(), Arc::new(compiled));
        Ok(())
    }

    fn compile(&self, source: &Source<'_>, expr: &Expr) -> Result<Compiled, RuleError> {
        let condition = |name: &str| self.conditions.get(name).cloned();
        truth(&Scope { file: source.file, text: source.text, condition: &condition }, expr)
    }

    // ------------------------------------------------------------ rules

    fn rule(&self, source: &Source<'_>, written: &RuleText, tier: Tier) -> Result<Rule, RuleError> {
        if self.rules.iter().any(|rule| rule.id == written.id) {
            return Err(source.fault(
                written.at,
                format!("there are two rules with the id {:?}", written.id),
                "Give this one another id; what the platform forbids cannot be changed.",
            ));
        }
        let keys = Keys { source, written };
        let category = keys.choice(
            Key::Category,
            &[
                ("compliance", Category::Compliance),
                ("safety", Category::Safety),
                ("legal", Category::Legal),
                ("data_handling", Category::DataHandling),
            ],
        )?;
        let applies_to = keys.choice(
            Key::AppliesTo,
            &[("words", AppliesTo::Words), ("reply", AppliesTo::Reply), ("tool", AppliesTo::Tool)],
        )?;
        let action = keys.choice(
            Key::Action,
            &[
                ("BLOCK", RuleAction::Block),
                ("WARN", RuleAction::Warn),
                ("REQUIRE_HUMAN", RuleAction::RequireHuman),
            ],
        )?;
        let drops_rest = match keys.find(Key::DropsRest) {
            None => false,
            Some(_) => keys.choice(
                Key::DropsRest,
                &[("true", true), ("false", false), ("True", true), ("False", false)],
            )?,
        };
        let replacement = keys.phrasing(Key::ReplacementEn, Key::ReplacementEs)?;
        if replacement.is_none() && applies_to != AppliesTo::Tool && !action.permits() {
            return Err(source.fault(
                written.at,
                format!("the rule {:?} does not say what is spoken instead", written.id),
                "Add replacement_en: \"…\" and replacement_es: \"…\".",
            ));
        }
        let explanation = keys.phrasing(Key::ExplanationEn, Key::ExplanationEs)?;
        let explanation = explanation.ok_or_else(|| keys.missing(Key::ExplanationEn))?;
        let Some((_, _, Given::Expr(requirement))) = keys.find(Key::Requirement) else {
            return Err(keys.missing(Key::Requirement));
        };
        let condition = match keys.find(Key::Condition) {
            Some((_, _, Given::Expr(expr))) => Some(expr),
            _ => None,
        };
        let unless = match keys.find(Key::UnlessRule) {
            Some((_, _, Given::Word(id))) => Some(id.clone()),
            _ => None,
        };
        Ok(Rule {
            id: written.id.clone(),
            name: keys.text(Key::Name)?,
            category,
            description: keys.text(Key::Description)?,
            citation: keys
                .find(Key::Citation)
                .map_or_else(|| Ok(String::new()), |_| keys.text(Key::Citation))?,
            applies_to,
            tier,
            condition: condition.map(ToString::to_string),
            requirement: requirement.to_string(),
            action,
            explanation,
            replacement,
            published: keys.phrasing(Key::PublishedEn, Key::PublishedEs)?,
            drops_rest,
            logic: Logic {
                condition: condition.map(|expr| self.compile(source, expr)).transpose()?,
                requirement: self.compile(source, requirement)?,
                written: requirement.clone(),
                unless: None,
            },
            unless_rule: unless,
        })
    }

    /// Finds the rules that excuse others, and circles among them. Rules of this layer begin at `first`.
    fn check_excuses(&mut self, sources: &[Source<'_>], first: usize) -> Result<(), RuleError> {
        let fault = |id: &str, message: String, fix: &str| {
            let found = sources.iter().find_map(|s| Some((s, s.read.rules.iter().find(|r| r.id == id)?)));
            match found {
                Some((source, written)) => {
                    let place = written.keys.iter().find(|(key, ..)| *key == Key::UnlessRule);
                    source.fault(place.map_or(written.at, |(_, at, _)| *at), message, fix)
                }
                None => RuleError::new(TENANT, "", 0, message, fix),
            }
        };
        let place = |id: &str| self.rules.iter().position(|rule| rule.id == id);
        let mut excuses = Vec::with_capacity(self.rules.len() - first);
        for rule in &self.rules[first..] {
            let at = match &rule.unless_rule {
                None => None,
                Some(id) => Some(place(id).ok_or_else(|| {
                    fault(
                        &rule.id,
                        format!("there is no rule with the id {id:?}"),
                        "Name a rule of this text or of the platform's.",
                    )
                })?),
            };
            excuses.push(at);
        }
        let next = |at: usize| at.checked_sub(first).and_then(|n| excuses.get(n).copied().flatten());
        for at in first..self.rules.len() {
            let mut circle = vec![at];
            while let Some(other) = next(circle[circle.len() - 1]) {
                circle.push(other);
                if circle.iter().filter(|n| **n == other).count() > 1 {
                    let names: Vec<&str> = circle.iter().map(|n| self.rules[*n].id.as_str()).collect();
                    return Err(fault(
                        &self.rules[at].id,
                        format!("these rules excuse each other in a circle: {}", names.join(" -> ")),
                        "Take one unless_rule away.",
                    ));
                }
            }
        }
        for (rule, at) in self.rules[first..].iter_mut().zip(excuses) {
            if let Some(rule) = Arc::get_mut(rule) {
                rule.logic.unless = at;
            }
        }
        Ok(())
    }
}

/// Names in an expression that are no fields.
fn conditions_in(expr: &Expr, into: &mut Vec<String>) {
    match &expr.is {
        Is::Name(name) if Field::of(name).is_none() => into.push(name.clone()),
        Is::Not(inner) => conditions_in(inner, into),
        Is::All(all) | Is::Any(all) | Is::List(all) => all.iter().for_each(|one| conditions_in(one, into)),
        Is::Call { given, .. } => given.iter().for_each(|one| conditions_in(one, into)),
        Is::Compare { left, right, .. } => {
            conditions_in(left, into);
            conditions_in(right, into);
        }
        _ => {}
    }
}

/// The keys of one rule.
struct Keys<'a> {
    source: &'a Source<'a>,
    written: &'a RuleText,
}

impl<'a> Keys<'a> {
    fn find(&self, key: Key) -> Option<&'a (Key, usize, Given)> {
        self.written.keys.iter().find(|(found, ..)| *found == key)
    }

    fn missing(&self, key: Key) -> RuleError {
        let message = format!("the rule {:?} has no {}", self.written.id, key.written());
        self.source.fault(self.written.at, message, format!("Add {}: …", key.written()))
    }

    fn text(&self, key: Key) -> Result<String, RuleError> {
        match self.find(key) {
            Some((_, at, Given::Text(text))) if text.trim().is_empty() => {
                Err(self.source.fault(*at, format!("{} is empty", key.written()), "Write a text in quotes."))
            }
            Some((_, _, Given::Text(text))) => Ok(text.clone()),
            _ => Err(self.missing(key)),
        }
    }

    /// Both languages, or neither.
    fn phrasing(&self, en: Key, es: Key) -> Result<Option<Phrasing>, RuleError> {
        if self.find(en).is_none() && self.find(es).is_none() {
            return Ok(None);
        }
        Ok(Some(Phrasing { en: self.text(en)?, es: self.text(es)? }))
    }

    fn choice<T: Copy>(&self, key: Key, all: &[(&str, T)]) -> Result<T, RuleError> {
        let Some((_, at, Given::Word(word))) = self.find(key) else { return Err(self.missing(key)) };
        all.iter().find(|(name, _)| name == word).map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            self.source.fault(
                *at,
                format!("{word:?} is no {}", key.written()),
                format!("Write one of: {}.", names.join(", ")),
            )
        })
    }
}
