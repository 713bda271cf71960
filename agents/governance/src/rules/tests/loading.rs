//! Loading: a mistake names its place and its fix, and a tenant tightens only.

use super::*;

fn rule(id: &str, more: &str) -> String {
    format!(
        "rule {id} {{\n name: 'n' category: legal description: 'd' applies_to: words\n explanation_en: 'e' explanation_es: 'e'\n {more}\n}}\n"
    )
}

const SAID: &str = "replacement_en: 'No.' replacement_es: 'No.'";

fn refused(text: &str) -> RuleError {
    match RuleSet::load(text, &county::numbers()) {
        Err(error) => error,
        Ok(_) => panic!("loaded: {text}"),
    }
}

#[test]
fn mistakes_are_told_with_line_column_caret_and_fix() {
    let warn = |requirement: &str| rule("x", &format!("action: WARN\n requirement: {requirement}"));
    for (text, line, column, message) in [
        ("rules x {}".to_owned(), 1, 1, "should begin here"),
        ("rule x {".to_owned(), 1, 9, "closing }"),
        (rule("x", "action: WARN"), 1, 6, "no requirement"),
        (rule("x", "action: STOP requirement: true"), 4, 2, "no action"),
        (rule("x", "colour: red"), 4, 2, "no key"),
        (rule("x", "name: 'again'"), 4, 2, "twice"),
        (rule("x", "action: BLOCK requirement: true"), 1, 6, "spoken instead"),
        (warn("action.stake == 'high'"), 5, 15, "no field"),
        (warn("  nothing-like-it"), 5, 17, "no condition"),
        (warn("action.text = 'x'"), 5, 27, "compares nothing"),
        (warn("action.text == 3"), 5, 27, "cannot be compared"),
        (warn("action.amounts"), 5, 15, "not true or false"),
        (warn("shout(action.text)"), 5, 15, "no function"),
        (warn("words_any(['(a'])"), 5, 26, "cannot be used"),
        (warn("action.text matches action.words"), 5, 35, "no pattern"),
        (warn("words_any(['a', 3])"), 5, 31, "no pattern"),
        (warn("(true"), 6, 1, ") is missing"),
        (warn("true or"), 6, 1, "should stand here"),
        (warn("action.text in ['a', $3]"), 5, 36, "in a list of texts"),
        ("constants { money: ['x'] }".to_owned(), 1, 21, "none of the money"),
        ("constants { prices: [$1] }".to_owned(), 1, 13, "no constants named"),
        ("rule x { name: 'no end".to_owned(), 1, 16, "no end"),
    ] {
        let error = refused(&text);
        assert_eq!((error.line, error.column), (line, column), "{error}");
        assert!(error.message.contains(message), "{error}");
        assert!(!error.fix.is_empty());
        let shown = error.to_string();
        let mut lines = shown.lines().skip(1);
        let (excerpt, caret) = (lines.next().unwrap(), lines.next().unwrap());
        assert_eq!(caret.chars().count(), usize::try_from(column).unwrap() + 2, "{shown}");
        assert!(excerpt.chars().count() + 1 >= caret.chars().count(), "{shown}");
    }
}

#[test]
fn circles_and_doubles_are_refused() {
    let error = refused("condition a = b\ncondition b = not c\ncondition c = a");
    assert!(error.message.contains("a -> b -> c -> a"), "{error}");
    assert!(refused("condition a = a").message.contains("circle"));
    assert!(refused("condition a = true condition a = false").message.contains("exists already"));
    assert!(refused("condition reads-back = true").message.contains("exists already"), "the platform's");
    let excused = |id: &str, by: &str| rule(id, &format!("action: WARN requirement: true unless_rule: {by}"));
    let error = refused(&(excused("x", "y") + &excused("y", "z") + &excused("z", "x")));
    assert!(error.message.contains("x -> y -> z -> x"), "{error}");
    assert!(refused(&excused("x", "x")).message.contains("circle"));
    assert!(refused(&excused("x", "nobody")).message.contains("no rule with the id"));
    let twice = rule("x", "action: WARN requirement: true").repeat(2);
    assert!(refused(&twice).message.contains("two rules"));
}

#[test]
fn sizes_depth_and_steps_are_bounded() {
    let warn = |requirement: &str| rule("x", &format!("action: WARN requirement: {requirement}"));
    let deep = format!("{}true{}", "(".repeat(5_000), ")".repeat(5_000));
    assert!(refused(&warn(&deep)).message.contains("too deep"));
    assert!(refused(&warn(&"[".repeat(60_000))).message.contains("cannot stand in a list"));
    assert!(refused(&"#".repeat(70_000)).message.contains("too long"));
    let many: String = (0..250).map(|n| format!("condition c{n} = true\n")).collect();
    assert!(refused(&many).message.contains("too many"));
    let list = format!("action.text in [{}]", "'a',".repeat(400));
    assert!(refused(&warn(&list)).message.contains("list is too long"));
    // Each condition looks at the one before twice: without a bound, a rule would take 2^30 steps.
    let grown: String = (1..30).map(|n| format!("condition c{n} = c{} and c{}\n", n - 1, n - 1)).collect();
    let error = refused(&format!("condition c0 = action.is_first\n{grown}"));
    assert!(error.message.contains("too long"), "{error}");
    let large = warn("words_any(['((a{100}){100}){100}'])");
    assert!(refused(&large).message.contains("cannot be used"));
    assert!(RuleSet::load(&warn(&format!("{} true", "not ".repeat(9_000))), &county::numbers()).is_ok());
}

#[test]
fn a_tenant_adds_and_tightens_and_never_loosens() {
    let advice = Spoken::new("Yes, you should sue the county.", Language::En);
    // By the same id, by another's excuse, by a rule that permits all, by naming it in the constants.
    assert!(
        refused(&rule("no-legal-advice", "action: WARN requirement: true")).message.contains("two rules")
    );
    let loose = rule("all-is-well", "action: WARN requirement: true unless_rule: no-legal-advice")
        + "constants { texts: ['We are open.'] }";
    let set = RuleSet::load(&loose, &county::numbers()).unwrap();
    assert_eq!(ids(&set.check_words(&advice)), ["no-legal-advice"]);
    assert!(!permitted(&set.check_words(&advice)));

    let tight = rule("no-mayor", &format!("action: BLOCK requirement: not words_any(['mayor']) {SAID}"));
    let set = RuleSet::load(&tight, &county::numbers()).unwrap();
    assert_eq!(ids(&set.check_words(&Spoken::new("The mayor knows.", Language::En))), ["no-mayor"]);
    let both = Spoken::new("The mayor says that you should sue.", Language::En);
    assert_eq!(ids(&set.check_words(&both)), ["no-legal-advice", "no-mayor"], "the platform's first");
}

#[test]
fn the_strongest_violation_decides_whatever_comes_first() {
    let warn = rule("a-warning", "action: WARN requirement: not words_any(['mayor'])");
    let block = rule("z-block", &format!("action: BLOCK requirement: not words_any(['mayor']) {SAID}"));
    let human =
        rule("m-human", &format!("action: REQUIRE_HUMAN requirement: not words_any(['mayor']) {SAID}"));
    for text in
        [format!("{warn}{block}{human}"), format!("{human}{warn}{block}"), format!("{block}{human}{warn}")]
    {
        let set = RuleSet::load(&text, &county::numbers()).unwrap();
        let broken = set.check_words(&Spoken::new("Ask the mayor.", Language::En));
        assert_eq!(ids(&broken), ["z-block", "m-human", "a-warning"]);
        assert!(!permitted(&broken));
    }
    let set = RuleSet::load(&warn, &county::numbers()).unwrap();
    let broken = set.check_words(&Spoken::new("Ask the mayor.", Language::En));
    assert!(permitted(&broken) && broken.len() == 1);
}

#[test]
fn a_rule_is_excused_by_the_violation_of_another() {
    let text = rule("first", &format!("action: BLOCK requirement: not words_any(['mayor']) {SAID}"))
        + &rule("second", "action: WARN requirement: not words_any(['mayor|clerk']) unless_rule: first");
    let set = RuleSet::load(&text, &county::numbers()).unwrap();
    let broken = |words: &str| ids(&set.check_words(&Spoken::new(words, Language::En))).join(" ");
    assert_eq!((broken("Ask the mayor."), broken("Ask the clerk.")), ("first".into(), "second".into()));
}

#[test]
fn words_said_instead_are_not_themselves_forbidden() {
    let text = rule(
        "no-mayor",
        "action: BLOCK requirement: not words_any(['mayor'])\n replacement_en: 'It is $7.' replacement_es: 'No.'",
    );
    let error = refused(&text);
    assert_eq!((error.line, error.column), (5, 2), "{error}");
    assert!(error.message.contains("locked-amounts"), "{error}");
    assert!(RuleSet::load(&format!("{text} constants {{ money: [$7] }}"), &county::numbers()).is_ok());
}

#[test]
fn a_set_that_does_not_load_leaves_the_old_one_in_force() {
    let book = RuleBook::new(
        RuleSet::load(&rule("x", "action: WARN requirement: false"), &county::numbers()).unwrap(),
    );
    let before = book.current();
    if let Ok(set) = RuleSet::load("rule y {", &county::numbers()) {
        book.replace(set);
    }
    assert!(Arc::ptr_eq(&before, &book.current()));
    book.replace(RuleSet::load("", &county::numbers()).unwrap());
    assert!(book.current().rules().iter().all(|rule| rule.tier == Tier::Platform));
    assert!(
        before.rules().iter().any(|rule| rule.id == "x"),
        "who looked before still sees the whole old set"
    );
}

/// The guide's examples load together, and its message is what a mistake gives.
#[test]
fn the_examples_of_the_guide_hold() {
    const GUIDE: &str = include_str!("../../../../../docs/guides/rules.md");
    let blocks = GUIDE.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    let (rules, shown): (Vec<&str>, Vec<&str>) =
        blocks.partition(|block| !block.starts_with("tenant rules,"));
    assert_eq!((rules.len(), shown.len()), (2, 1));
    let set = RuleSet::load(&rules.concat(), &county::numbers()).unwrap_or_else(|e| panic!("{e}"));
    let broken = set.check_words(&Spoken::new("The mayor says that it is fine.", Language::En));
    assert_eq!(ids(&broken), ["no-mayor-quotes"]);
    assert!(
        set.check_words(&Spoken::new("It costs seven dollars and fifty cents.", Language::En)).is_empty()
    );
    assert!(set.check_words(&Spoken::new("We guarantee pickup by Friday.", Language::En)).is_empty());
    let error = refused(&rule("x", "action: WARN\n requirement: action.stake == 'high'"));
    assert_eq!(shown[0].trim(), error.to_string().trim());
}
