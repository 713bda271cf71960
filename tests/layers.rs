//! The rules of the house, kept by machine: who may import whom, and what a module may do. They are explained in
//! docs/ARCHITECTURE.md. Each rule is a function over sources, so that the tests at the end can plant a fault.

#[path = "layers/carriers.rs"]
mod carriers;
#[path = "layers/circles.rs"]
mod circles;
#[path = "layers/metrics.rs"]
mod metrics;
#[path = "layers/size.rs"]
mod size;
#[path = "layers/source.rs"]
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use carriers::CARRIERS;
use serde_json::Value;
use source::{Source, line_of};

/// Who may import whom. No other edge is allowed; nothing imports `tests` and `benches`.
const EDGES: [(&str, &[&str]); 13] = [
    (
        "gateway",
        &[
            "agents",
            "caller",
            "dialogue",
            "governance",
            "knowledge",
            "language",
            "models",
            "pipeline",
            "speech",
            "storage",
            "telephony",
            "work",
        ],
    ),
    ("caller", &["pipeline", "speech", "storage", "telephony"]),
    ("agents", &["dialogue", "governance", "knowledge", "language", "models", "pipeline", "storage", "work"]),
    ("work", &["dialogue", "governance", "knowledge", "language", "models", "pipeline", "storage"]),
    ("dialogue", &["governance", "knowledge", "language", "pipeline", "storage"]),
    ("models", &["language", "pipeline"]),
    ("knowledge", &["governance", "language"]),
    ("governance", &["language"]),
    ("speech", &["language", "pipeline", "telephony"]),
    ("pipeline", &["language", "telephony"]),
    ("language", &[]),
    ("telephony", &[]),
    ("storage", &[]),
];

/// Crates within the folder of another, and where.
const INNER: [(&str, &str); 8] = [
    ("caller", "gateway/caller"),
    ("language", "pipeline/language"),
    ("speech", "pipeline/speech"),
    ("dialogue", "agents/dialogue"),
    ("governance", "agents/governance"),
    ("knowledge", "agents/knowledge"),
    ("models", "agents/models"),
    ("work", "agents/work"),
];

/// Crates whose modules at the top import each other in one direction only.
const NO_CIRCLES: [&str; 2] = ["agents", "work"];

/// Dependencies that belong to one crate alone: the database to `storage`, the web server to `gateway`.
const OWNED: [(&str, &str); 2] = [("sqlx", "storage"), ("axum", "gateway")];

/// Modules that do no I/O, spawn nothing, read no clock and draw no randomness: a file, or a folder with all in it.
/// Others may join them by carrying the attribute.
const PURE: [&str; 11] = [
    "pipeline/language/src",
    "pipeline/src/session",
    "telephony/src/jitter",
    "telephony/src/ledger",
    "telephony/src/playout",
    "agents/work/src/calibration",
    "agents/governance/src/danger",
    "agents/governance/src/guard",
    "agents/governance/src/judge",
    "agents/work/src/passport",
    "agents/governance/src/pii",
];

/// Modules of the plan that will be pure from their first day.
const PURE_WHEN_BUILT: [&str; 2] = ["agents/governance/src/rules", "pipeline/src/provider/breaker"];

/// Word sequences that a pure module may not hold.
const IMPURE: [&str; 11] = [
    "tokio",
    "async fn",
    ".await",
    "Instant::now",
    "SystemTime::now",
    "Utc::now",
    "Local::now",
    "Uuid::now_v7",
    "Uuid::new_v4",
    "rand",
    "spawn",
];

/// Vendors of speech and models. Each is named in the one file that adapts it, and in the `mod` line for it.
const VENDORS: [&str; 4] = ["deepgram", "elevenlabs", "anthropic", "openai"];

/// Module names that say nothing.
const EMPTY_NAMES: [&str; 9] =
    ["utils", "util", "common", "helpers", "helper", "types", "manager", "managers", "misc"];
const NAME_EXCEPTION: &str = "storage/src/memory/manager.rs";

const LONGEST_FILE: usize = 600;
const LONGEST_FUNCTION: usize = 100;

// ---------------------------------------------------------------- the rules, one function each

/// Edges between our own crates, from `cargo metadata`.
fn forbidden_edges(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let name = |p: &Value| p["name"].as_str().unwrap_or_default().to_owned();
    let members: Vec<String> = packages.iter().map(name).collect();
    let mut found = Vec::new();
    for package in packages {
        let from = name(package);
        let imports = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
        for to in imports.iter().map(name) {
            let outside = from == "tests" || from == "benches";
            let allowed = EDGES.iter().find(|(f, _)| *f == from).map(|(_, to)| *to);
            if members.contains(&to) && !outside && !allowed.is_some_and(|a| a.contains(&to.as_str())) {
                found.push(format!("{from} imports {to}"));
            }
            for (_, owner) in OWNED.iter().filter(|(d, owner)| *d == to && *owner != from && !outside) {
                found.push(format!("{from} depends on {to}, which is {owner}'s alone"));
            }
        }
        if !matches!(from.as_str(), "tests" | "benches") && !EDGES.iter().any(|(f, _)| *f == from) {
            found.push(format!("{from} is a new crate: say in EDGES what it may import"));
        }
    }
    found
}

/// `agents` sees the pipeline's ports and words and how providers are called, not its insides.
fn pipeline_insides_in_agents(s: &Source) -> Vec<String> {
    // `provider`: language models are outside services too, called by the same rules as speech.
    const OPEN: [&str; 5] = ["ports", "turn", "latency", "event", "provider"];
    if !s.path.starts_with("agents/") {
        return Vec::new();
    }
    let used = s.after(&["pipeline", "::"]).into_iter().filter(|(_, word)| !OPEN.contains(&word.as_str()));
    used.map(|(line, word)| at(s, line, &format!("uses pipeline::{word}"))).collect()
}

fn carrier_fields(s: &Source) -> Vec<String> {
    if !is_product(s) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let others = CARRIERS.iter().filter(|(folder, _, _)| !s.path.starts_with(folder));
    for (name, field) in others.flat_map(|(_, name, fields)| fields.iter().map(move |field| (name, *field))) {
        let what = format!("names {name}'s {field}");
        found.extend(s.lines_with(field).into_iter().map(|line| at(s, line, &what)));
        for (line, text) in &s.strings {
            // Names of headers know no case; the rest is exact.
            let same =
                |word: &str| word == field || (field.contains('-') && word.eq_ignore_ascii_case(field));
            if text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_')).any(same) {
                found.push(at(s, *line, &what));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn vendor_names(s: &Source) -> Vec<String> {
    let inside = ["pipeline/src/", "pipeline/speech/src/", "agents/", "telephony/src/", "storage/src/"];
    if !inside.iter().any(|p| s.path.starts_with(p)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let raw = s.raw.to_lowercase();
    for vendor in VENDORS.iter().filter(|v| !s.path.contains(**v) && raw.contains(**v)) {
        let declared = s.lines_with(&format!("mod {vendor}"));
        let names = |text: &str| text.to_lowercase().contains(vendor);
        let words = s.words().filter(|(_, word)| names(word)).map(|(offset, _)| line_of(&s.code, offset));
        let texts = s.strings.iter().filter(|(_, text)| names(text)).map(|(line, _)| *line);
        for line in words.chain(texts).filter(|line| !declared.contains(line)) {
            found.push(at(s, line, &format!("names the vendor {vendor}")));
        }
    }
    found
}

/// Whether the file is the one that a module begins with.
fn is_root(module: &str, path: &str) -> bool {
    [".rs", "/mod.rs", "/lib.rs"].iter().any(|end| path == format!("{module}{end}"))
}

fn impurity(s: &Source) -> Vec<String> {
    let says_so = !s.lines_with("#![deny(clippy::disallowed_methods").is_empty();
    let within = |m: &&&str| s.path == format!("{m}.rs") || s.path.starts_with(&format!("{m}/"));
    let module = PURE.iter().chain(&PURE_WHEN_BUILT).find(within);
    if module.is_none() && !says_so {
        return Vec::new();
    }
    let mut found = Vec::new();
    for bad in IMPURE {
        found.extend(s.lines_with(bad).into_iter().map(|line| at(s, line, &format!("holds `{bad}`"))));
    }
    for (line, word) in s.after(&["std", "::"]) {
        if ["fs", "net", "thread", "process", "env"].contains(&word.as_str()) {
            found.push(at(s, line, &format!("holds `std::{word}`")));
        }
    }
    let is_root = module.is_some_and(|m| is_root(m, &s.path));
    if is_root && !says_so {
        found.push(at(s, 1, "lacks `#![deny(clippy::disallowed_methods)]`, by which clippy keeps it pure"));
    }
    found
}

fn sql_outside_storage(s: &Source) -> Vec<String> {
    if !is_product(s) || s.path.starts_with("storage/") {
        return Vec::new();
    }
    let sql = s.strings.iter().filter(|(_, text)| is_sql(text));
    sql.map(|(line, _)| at(s, *line, "holds SQL, which lives in storage alone")).collect()
}

/// Whether a text is an SQL statement. Prose may begin with the same verbs, so each needs its second half.
fn is_sql(text: &str) -> bool {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|p| flat.contains(p));
    match flat.split(' ').next().unwrap_or_default() {
        "select" => {
            has(&[" from "]) && has(&["*", "$1", "?", " where ", " limit ", " order by ", "(", " = "])
        }
        "insert" => has(&["insert into ", "insert or "]) && has(&[" values", " select "]),
        "update" => has(&[" set "]) && has(&[" = "]),
        "delete" => {
            flat.starts_with("delete from ") && (has(&[" where ", ";"]) || flat.split(' ').count() == 3)
        }
        "create" | "alter" | "drop" => {
            has(&[" table ", " index ", " trigger ", " view "]) && has(&["(", " add ", " if "])
        }
        "pragma" => true,
        _ => false,
    }
}

/// Environment and configuration files are read by `gateway`; the runtime is built by its `main.rs`.
fn process_matters(s: &Source) -> Vec<String> {
    if !is_product(s) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if !s.path.starts_with("gateway/src/") {
        for read in ["env::var", "env::vars", "env::var_os"] {
            found.extend(s.lines_with(read).into_iter().map(|line| at(s, line, "reads the environment")));
        }
    }
    if s.path != "gateway/src/main.rs" {
        for build in ["tokio::main", "Runtime::new", "new_multi_thread", "new_current_thread"] {
            found.extend(s.lines_with(build).into_iter().map(|line| at(s, line, "builds an async runtime")));
        }
    }
    found
}

/// A pattern that may be absent: a typing error in it would turn off what it detects, and nobody would hear of it.
fn absent_patterns(s: &Source) -> Vec<String> {
    let shapes = ["LazyLock<Option<", ": Option<Regex>", ": Option<RegexSet>"];
    let lines = shapes.into_iter().flat_map(|shape| s.lines_with(shape));
    lines
        .map(|line| {
            at(s, line, "may do without its pattern: use `expect` where clippy or a test compiles it")
        })
        .collect()
}

fn empty_names(s: &Source) -> Vec<String> {
    if s.path == NAME_EXCEPTION {
        return Vec::new();
    }
    let mut found = Vec::new();
    for part in s.path.split('/').map(|p| p.trim_end_matches(".rs")).filter(|p| EMPTY_NAMES.contains(p)) {
        found.push(at(
            s,
            1,
            &format!("is in a module named {part}: put each thing where it gets its meaning"),
        ));
    }
    for name in EMPTY_NAMES {
        for line in s.lines_with(&format!("mod {name} {{")) {
            found.push(at(s, line, &format!("has a module named {name}")));
        }
    }
    let types =
        s.after(&["struct"]).into_iter().filter(|(_, t)| t.ends_with("Manager") && t != "MemoryManager");
    found.extend(types.map(|(line, name)| at(s, line, &format!("names a type {name}: say what it is"))));
    found
}

fn too_long(s: &Source) -> Vec<String> {
    let mut found = Vec::new();
    let lines: Vec<&str> = s.raw.lines().collect();
    if lines.len() >= LONGEST_FILE {
        found.push(at(s, lines.len(), &format!("has {} lines: split it before {LONGEST_FILE}", lines.len())));
    }
    for (name, line, length) in s.functions().into_iter().filter(|(_, _, n)| *n > LONGEST_FUNCTION) {
        // A reason may stand with the comments and attributes above: `// long: one row a field`.
        let above = lines[..line - 1].iter().rev().map(|l| l.trim());
        let mut head = above.take_while(|l| l.starts_with("//") || l.starts_with("#["));
        if !head.any(|l| l.starts_with("// long:")) {
            found.push(at(s, line, &format!("fn {name} has {length} lines, over {LONGEST_FUNCTION}")));
        }
    }
    found
}

/// Sources of the product: not tests, benches or build scripts.
fn is_product(s: &Source) -> bool {
    EDGES.iter().any(|(name, _)| s.path.starts_with(&format!("{}/src/", folder(name))))
}

/// Where a crate is.
fn folder(name: &'static str) -> &'static str {
    INNER.iter().find(|(inner, _)| *inner == name).map_or(name, |(_, at)| at)
}

fn at(s: &Source, line: usize, what: &str) -> String {
    format!("{}:{line}: {what}", s.path)
}

// ---------------------------------------------------------------- the rules, on this repository

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every Rust file of every crate, but for unit tests in files of their own.
fn sources() -> Vec<Source> {
    let root = root();
    let mut found = Vec::new();
    for name in EDGES.iter().map(|(name, _)| *name).chain(["tests", "benches"]) {
        // Their folders are within another crate's, and are walked with it.
        if INNER.iter().any(|(inner, _)| *inner == name) {
            continue;
        }
        let mut folders = vec![root.join(name)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a readable folder").flatten() {
                let (path, file) = (entry.path(), entry.file_name());
                if path.is_dir() && !["target", "node_modules", "dist"].iter().any(|skip| file == **skip) {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    let text = fs::read_to_string(&path).expect("a readable file");
                    let shown =
                        path.strip_prefix(&root).expect("under the root").to_string_lossy().into_owned();
                    found.push(Source::parse(&shown, &text));
                }
            }
        }
    }
    let tests: Vec<String> = found.iter().flat_map(|s| s.test_modules.clone()).collect();
    found.retain(|s| {
        !tests.iter().any(|t| s.path == format!("{t}.rs") || s.path.starts_with(&format!("{t}/")))
    });
    assert!(found.iter().any(is_product), "no sources found under {}", root.display());
    found
}

#[test]
fn crates_import_only_along_the_drawn_arrows() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let out = std::process::Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&out.stdout).expect("cargo metadata gives JSON");
    assert_eq!(forbidden_edges(&metadata), [""; 0]);
}

/// What a source file must keep, and the rule that says so.
type Rule = fn(&Source) -> Vec<String>;
const RULES: [(&str, Rule); 9] = [
    ("agents see only the ports of the pipeline", pipeline_insides_in_agents),
    ("only a carrier's folder names its fields", carrier_fields),
    ("a vendor is named only in its own adapter", vendor_names),
    ("pure modules are pure and say so to clippy", impurity),
    ("SQL lives in storage", sql_outside_storage),
    ("only the gateway reads the environment, and only main builds the runtime", process_matters),
    ("modules are named for what they hold", empty_names),
    ("no pattern may be absent", absent_patterns),
    ("files and functions are short", too_long),
];

/// All rules in one test: each test is a process of its own, and reading every source takes longer than judging it.
#[test]
fn every_source_keeps_the_rules_of_the_house() {
    let all = sources();
    let mut broken = Vec::new();
    for (rule, judge) in RULES {
        let mut found: Vec<String> = all.iter().flat_map(judge).collect();
        found.sort();
        broken.extend(found.into_iter().map(|fault| format!("{rule}: {fault}")));
    }
    for module in PURE.into_iter().filter(|m| !all.iter().any(|s| is_root(m, &s.path))) {
        broken.push(format!("{module} is gone: a pure module that moved must move in PURE too"));
    }
    for fault in NO_CIRCLES.into_iter().flat_map(|name| circles::of(&all, folder(name))) {
        broken.push(format!("no circles between modules: {fault}"));
    }
    for fault in EDGES.into_iter().filter_map(|(name, _)| size::of(&all, name, folder(name))) {
        broken.push(format!("no crate is too large: {fault}"));
    }
    let product: Vec<&Source> = all.iter().filter(|s| is_product(s)).collect();
    for name in metrics::undescribed(&product) {
        broken.push(format!("every metric is described: {name}, in gateway/src/telemetry/metrics.rs"));
    }
    assert!(broken.is_empty(), "docs/ARCHITECTURE.md, \"Rules of the house\":\n{}", broken.join("\n"));
}

// ---------------------------------------------------------------- planted faults: each rule must bite

fn one(path: &str, text: &str) -> Source {
    Source::parse(path, text)
}

#[test]
fn a_planted_edge_is_found() {
    let package = |name: &str, imports: &[&str]| {
        let dependencies: Vec<Value> = imports.iter().map(|i| serde_json::json!({ "name": i })).collect();
        serde_json::json!({ "name": name, "dependencies": dependencies })
    };
    let with = |packages: Vec<Value>| forbidden_edges(&serde_json::json!({ "packages": packages }));
    let all = || {
        vec![package("telephony", &[]), package("storage", &["sqlx"]), package("tests", &["storage", "sqlx"])]
    };
    assert_eq!(with(all()), [""; 0]);
    let mut broken = all();
    broken.push(package("pipeline", &["storage"]));
    broken.push(package("agents", &["sqlx"]));
    broken.push(package("extra", &[]));
    let found = with(broken);
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn planted_names_are_found() {
    assert_eq!(pipeline_insides_in_agents(&one("agents/src/x.rs", "use pipeline::driver::Leg;")).len(), 1);
    let grouped = "use pipeline::{ports::{Screen, self}, driver};";
    assert_eq!(pipeline_insides_in_agents(&one("agents/src/x.rs", grouped)).len(), 1);
    assert_eq!(pipeline_insides_in_agents(&one("agents/src/x.rs", "use pipeline::ports::Screen;")).len(), 0);

    let field = "fn f(v: &Value) { v[\"streamSid\"]; } // callSid in a comment is no fault\n";
    assert_eq!(carrier_fields(&one("gateway/src/calls.rs", field)).len(), 1);
    assert_eq!(carrier_fields(&one("telephony/src/twilio/wire.rs", field)).len(), 0);
    assert_eq!(carrier_fields(&one("telephony/src/telnyx/wire.rs", field)).len(), 1);
    let telnyx = "fn f(v: &Value) { v[\"call_control_id\"]; }\n";
    assert_eq!(carrier_fields(&one("telephony/src/twilio/wire.rs", telnyx)).len(), 1);
    assert_eq!(carrier_fields(&one("telephony/src/telnyx/wire.rs", telnyx)).len(), 0);
    let header = one("gateway/src/x.rs", "h.get(\"x-twilio-signature\")");
    assert!(!carrier_fields(&header).is_empty());

    assert_eq!(vendor_names(&one("pipeline/src/driver.rs", "let s = Deepgram::new();")).len(), 1);
    assert_eq!(vendor_names(&one("pipeline/speech/src/stt/mod.rs", "pub mod deepgram;")).len(), 0);
    assert_eq!(vendor_names(&one("pipeline/speech/src/stt/deepgram.rs", "struct Deepgram;")).len(), 0);

    assert_eq!(empty_names(&one("gateway/src/utils.rs", "")).len(), 1);
    assert_eq!(empty_names(&one("gateway/src/helpers/text.rs", "")).len(), 1);
    assert_eq!(empty_names(&one("gateway/src/x.rs", "mod types { } struct CallManager;")).len(), 2);
    assert_eq!(empty_names(&one(NAME_EXCEPTION, "pub struct MemoryManager;")).len(), 0);
}

#[test]
fn a_planted_metric_without_words_is_found() {
    let all = [
        one(
            "pipeline/src/x.rs",
            "metrics::counter!(\"a_total\", \"by\" => x); gauge!(\n    \"b\").set(1.0);",
        ),
        one("gateway/src/x.rs", "describe_counter!(\"a_total\", \"All.\");"),
    ];
    assert_eq!(metrics::undescribed(&all.iter().collect::<Vec<_>>()), ["b"]);
}

#[test]
fn planted_absent_patterns_are_found() {
    let found = |text: &str| absent_patterns(&one("agents/src/x.rs", text)).len();
    assert_eq!(found("static A: LazyLock<Regex> = LazyLock::new(|| Regex::new(\"a\").expect(\"\"));"), 0);
    assert_eq!(found("static A: LazyLock<Option<Words>> = LazyLock::new(|| None);"), 1);
    assert_eq!(found("struct A { size: Option<Regex>, all: Option<RegexSet> }"), 2);
}

#[test]
fn planted_impurities_are_found() {
    let head = "#![deny(clippy::disallowed_methods)]\n";
    let found = |body: &str| impurity(&one("pipeline/src/session/mod.rs", &format!("{head}{body}"))).len();
    assert_eq!(found("use std::time::Duration;"), 0);
    for body in [
        "use tokio::sync::mpsc;",
        "let t = std::time::Instant::now();",
        "let t = Utc :: now();",
        "let n = rand::random::<u8>();",
        "let id = Uuid::new_v4();",
        "use std::{collections::HashMap, fs};",
        "let f = std::fs::read(p);",
        "thread::spawn(|| ());",
        "async fn f() {}",
    ] {
        assert!(found(body) > 0, "{body}");
    }
    assert_eq!(impurity(&one("pipeline/src/session/mod.rs", "")).len(), 1, "without the attribute");
    assert_eq!(impurity(&one("pipeline/src/session/timers.rs", "")).len(), 0, "its children inherit it");
    assert_eq!(impurity(&one("pipeline/src/driver.rs", "tokio::spawn(x)")).len(), 0, "drivers may");
    let word = one("pipeline/src/driver.rs", &format!("{head}use tokio::sync::mpsc;"));
    assert_eq!(impurity(&word).len(), 1, "whoever says it is pure is held to it");
}

#[test]
fn planted_sql_is_found_and_prose_is_not() {
    for sql in [
        "select id from calls where tenant_id = $1",
        "INSERT INTO calls (id)\n VALUES ($1)",
        "update calls set state = 'ended'",
        "delete from nonces where at < $1",
        "create table if not exists x (id text)",
        "pragma journal_mode = wal",
    ] {
        let s = one("agents/src/x.rs", &format!("let q = \"{sql}\";"));
        assert_eq!(sql_outside_storage(&s).len(), 1, "{sql}");
        assert_eq!(sql_outside_storage(&one("storage/src/x.rs", &s.raw)).len(), 0);
    }
    for prose in [
        "Select a day from the calendar.",
        "Update your address",
        "Create a report",
        "delete from the list, please",
    ] {
        assert!(!is_sql(prose), "{prose}");
    }
}

#[test]
fn planted_process_matters_are_found() {
    let env = "let p = std::env::var(\"PORT\");";
    assert_eq!(process_matters(&one("pipeline/src/x.rs", env)).len(), 1);
    assert_eq!(process_matters(&one("gateway/src/config.rs", env)).len(), 0);
    assert_eq!(process_matters(&one("gateway/build.rs", env)).len(), 0);
    assert_eq!(process_matters(&one("gateway/src/cli/call.rs", "#[tokio::main] async fn f() {}")).len(), 1);
    let in_test = format!("#[cfg(test)]\nmod tests {{ fn f() {{ {env} }} }}");
    assert_eq!(process_matters(&one("pipeline/src/x.rs", &in_test)).len(), 0);
}

#[test]
fn planted_lengths_are_found() {
    let body = "    step();\n".repeat(LONGEST_FUNCTION);
    assert_eq!(too_long(&one("gateway/src/x.rs", &format!("fn f() {{\n{body}}}\n"))).len(), 1);
    assert_eq!(
        too_long(&one("gateway/src/x.rs", &format!("// long: one row a field\nfn f() {{\n{body}}}\n"))).len(),
        0
    );
    assert_eq!(too_long(&one("gateway/src/x.rs", &"\n".repeat(LONGEST_FILE))).len(), 1);
    assert_eq!(too_long(&one("gateway/src/x.rs", &"\n".repeat(LONGEST_FILE - 1))).len(), 0);
}
