//! `[alarms]`: when people are told of a request that cannot wait and that nobody has taken on, and who beside the console.

use std::net::SocketAddr;
use std::ops::RangeInclusive;

use pipeline::provider::Endpoint;
use secrecy::SecretString;
use toml::{Table, Value};

use super::source::Source;

/// Receivers at most.
const MOST: usize = 16;
const HOOK_KEYS: [&str; 4] = ["name", "url", "headers", "tenants"];
const MAIL_KEYS: [&str; 5] = ["name", "relay", "from", "to", "tenants"];
const TENANT_KEYS: [&str; 5] = ["tenant", "urgent_minutes", "high_minutes", "again_minutes", "times"];
const MINUTES: RangeInclusive<u64> = 1..=1_440;
/// 0: no alarms.
const TIMES: RangeInclusive<u64> = 0..=20;

/// Settings of alarms.
#[derive(Clone, Debug, Default)]
pub struct Alarms {
    pub times: Times,
    /// Of tenants that have times of their own, by slug.
    pub tenants: Vec<(String, Times)>,
    pub hooks: Vec<Hook>,
    pub mail: Vec<Mail>,
}

/// How long a request may wait for somebody, and how often they are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Of what is urgent: an emergency.
    pub urgent_minutes: u32,
    /// Of what is high: somebody was hurt.
    pub high_minutes: u32,
    /// From one alarm to the next.
    pub again_minutes: u32,
    /// Alarms at most.
    pub times: u32,
}

impl Default for Times {
    fn default() -> Self {
        Self { urgent_minutes: 5, high_minutes: 15, again_minutes: 10, times: 3 }
    }
}

/// An address that alarms are posted to.
#[derive(Clone, Debug)]
pub struct Hook {
    pub name: String,
    pub url: String,
    /// Values come from the environment.
    pub headers: Vec<(String, SecretString)>,
    /// Slugs; `None`: of every tenant.
    pub tenants: Option<Vec<String>>,
}

impl Hook {
    /// Whether it is told of this tenant's alarms.
    #[must_use]
    pub fn serves(&self, slug: &str) -> bool {
        is_among(self.tenants.as_deref(), slug)
    }
}

/// Addresses that alarms are mailed to, by a relay on this machine.
#[derive(Clone, Debug)]
pub struct Mail {
    pub name: String,
    pub relay: SocketAddr,
    pub from: String,
    pub to: Vec<String>,
    /// Slugs; `None`: of every tenant.
    pub tenants: Option<Vec<String>>,
}

impl Mail {
    /// Whether it is told of this tenant's alarms.
    #[must_use]
    pub fn serves(&self, slug: &str) -> bool {
        is_among(self.tenants.as_deref(), slug)
    }
}

fn is_among(tenants: Option<&[String]>, slug: &str) -> bool {
    tenants.is_none_or(|tenants| tenants.iter().any(|tenant| tenant == slug))
}

impl Alarms {
    /// The times of a tenant.
    #[must_use]
    pub fn of(&self, slug: &str) -> Times {
        self.tenants.iter().find(|(tenant, _)| tenant == slug).map_or(self.times, |(_, times)| *times)
    }
}

/// What is wrong with a row, and the remedy.
struct Fault(String, &'static str);

pub(super) fn read(s: &mut Source<'_>) -> Alarms {
    let usual = Times::default();
    let mut number = |key, range, usual| small(s.number(key, None, range), usual);
    let times = Times {
        urgent_minutes: number("alarms.urgent_minutes", MINUTES, usual.urgent_minutes),
        high_minutes: number("alarms.high_minutes", MINUTES, usual.high_minutes),
        again_minutes: number("alarms.again_minutes", MINUTES, usual.again_minutes),
        times: number("alarms.times", TIMES, usual.times),
    };
    let tenants = rows(s, "alarms.tenants", |table, _| own_times(table, times), |row| &row.0);
    let hooks = rows(s, "alarms.webhooks", read_hook, |hook| &hook.name);
    let mail = rows(s, "alarms.mail", |table, _| read_mail(table), |mail| &mail.name);
    Alarms { times, tenants, hooks, mail }
}

fn small(number: Option<u64>, usual: u32) -> u32 {
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or(usual)
}

/// Looks a variable up in the environment.
type Var<'a> = &'a dyn Fn(&str) -> Option<SecretString>;

/// Rows that are right; each that is not becomes a problem. No two have one name.
fn rows<T>(
    s: &mut Source<'_>,
    key: &'static str,
    read: impl Fn(&Table, Var<'_>) -> Result<T, Fault>,
    name: impl Fn(&T) -> &String,
) -> Vec<T> {
    let Some((tables, origin)) = s.tables(key) else { return Vec::new() };
    let mut found: Vec<T> = Vec::new();
    for (number, table) in (1..).zip(&tables) {
        match read(table, &|var| s.var(var)) {
            Ok(row) if found.len() == MOST || found.iter().any(|known| name(known) == name(&row)) => {
                s.problem(format!("{origin} row {number}"), "is there twice, or the 17th", "remove it");
            }
            Ok(row) => found.push(row),
            Err(Fault(problem, fix)) => s.problem(format!("{origin} row {number}"), problem, fix),
        }
    }
    found
}

fn own_times(table: &Table, usual: Times) -> Result<(String, Times), Fault> {
    only(table, &TENANT_KEYS)?;
    let tenant = text(table, "tenant").unwrap_or_default();
    if tenant.is_empty() {
        return Err(Fault("names no tenant".to_owned(), "add tenant = \"riverbend\", its short name"));
    }
    let number = |key: &str, range: RangeInclusive<u64>, usual: u32| match table.get(key) {
        None => Ok(usual),
        Some(given) => {
            let number = given.as_integer().and_then(|n| u64::try_from(n).ok()).filter(|n| range.contains(n));
            let (least, most) = (range.start(), range.end());
            let wrong =
                || Fault(format!("{key} is not from {least} to {most}"), "correct it, or leave it out");
            number.map(|n| small(Some(n), usual)).ok_or_else(wrong)
        }
    };
    let times = Times {
        urgent_minutes: number("urgent_minutes", MINUTES, usual.urgent_minutes)?,
        high_minutes: number("high_minutes", MINUTES, usual.high_minutes)?,
        again_minutes: number("again_minutes", MINUTES, usual.again_minutes)?,
        times: number("times", TIMES, usual.times)?,
    };
    Ok((tenant, times))
}

fn read_hook(table: &Table, var: Var<'_>) -> Result<Hook, Fault> {
    only(table, &HOOK_KEYS)?;
    let name = name(table)?;
    let url = text(table, "url").unwrap_or_default();
    let endpoint = Endpoint::parse(&url)
        .map_err(|what| Fault(format!("url {what}"), "write it as https://duty.example.com/alarms"))?;
    if !endpoint.is_secure() && !endpoint.is_loopback() {
        return Err(Fault(format!("{} is not encrypted", endpoint.host()), "use https"));
    }
    let tenants = words(table, "tenants")?;
    Ok(Hook { name, url: endpoint.http(""), headers: headers(table, var)?, tenants })
}

fn read_mail(table: &Table) -> Result<Mail, Fault> {
    only(table, &MAIL_KEYS)?;
    let name = name(table)?;
    let relay = text(table, "relay").unwrap_or_else(|| "127.0.0.1:25".to_owned());
    let relay = relay.parse::<SocketAddr>().ok().filter(|relay| relay.ip().is_loopback());
    let relay = relay.ok_or_else(|| {
        let problem = "relay is no address of this machine: beyond it the message would go unencrypted";
        Fault(problem.to_owned(), "run a mail relay here, and write it as 127.0.0.1:25")
    })?;
    let from = text(table, "from").unwrap_or_default();
    let to = words(table, "to")?.unwrap_or_default();
    if to.is_empty() || !is_mail_address(&from) || !to.iter().all(|to| is_mail_address(to)) {
        return Err(Fault(
            "from or to is no mail address".to_owned(),
            "write from = \"gateway@example.gov\" and to = [\"duty@example.gov\"]",
        ));
    }
    Ok(Mail { name, relay, from, to, tenants: words(table, "tenants")? })
}

/// An address that can stand in a message and in what the relay is told, with nothing that ends either.
fn is_mail_address(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "@.-_+".contains(c);
    let parts = text.split_once('@');
    parts.is_some_and(|(who, host)| !who.is_empty() && host.contains('.') && !host.contains('@'))
        && text.len() <= 200
        && text.chars().all(fits)
}

fn name(table: &Table) -> Result<String, Fault> {
    let name = text(table, "name").unwrap_or_default();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > 24 || !name.chars().all(fits) {
        let fix = "add name = \"duty-desk\": 1 to 24 small letters, digits, dashes";
        return Err(Fault("has no name".to_owned(), fix));
    }
    Ok(name)
}

fn words(table: &Table, key: &'static str) -> Result<Option<Vec<String>>, Fault> {
    let Some(given) = table.get(key) else { return Ok(None) };
    let words = given.as_array().and_then(|all| all.iter().map(|w| w.as_str().map(str::to_owned)).collect());
    words.map(Some).ok_or_else(|| Fault(format!("{key} is no list of words"), "write [\"a\", \"b\"]"))
}

fn headers(table: &Table, var: Var<'_>) -> Result<Vec<(String, SecretString)>, Fault> {
    let Some(given) = table.get("headers") else { return Ok(Vec::new()) };
    let wrong = || {
        let fix = "write headers = { Authorization = \"NAME_OF_A_VARIABLE\" }";
        Fault("headers are no table".to_owned(), fix)
    };
    let mut headers = Vec::new();
    for (header, variable) in given.as_table().ok_or_else(wrong)? {
        let variable = variable.as_str().ok_or_else(wrong)?;
        let value = var(variable).ok_or_else(|| {
            let plain = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
            let named: String = variable.chars().take(64).filter(plain).collect();
            let problem = format!("the variable {named} for the header {header} is not set");
            Fault(problem, "set it in the environment")
        })?;
        headers.push((header.clone(), value));
    }
    Ok(headers)
}

fn only(table: &Table, keys: &[&str]) -> Result<(), Fault> {
    match table.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(unknown) => Err(Fault(format!("`{unknown}` is no setting here"), "see docs/guides/requests.md")),
        None => Ok(()),
    }
}

fn text(table: &Table, key: &str) -> Option<String> {
    table.get(key).and_then(Value::as_str).map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> (Alarms, Vec<super::super::Problem>) {
        let env = |name: &str| (name == "DUTY").then(|| "Bearer s3cret".to_owned());
        let mut source = Source::new(text.parse().unwrap(), "t.toml".to_owned(), &env);
        let alarms = read(&mut source);
        (alarms, source.finish())
    }

    #[test]
    fn five_minutes_for_an_emergency_unless_a_tenant_has_its_own() {
        assert_eq!(load("").0.of("riverbend").urgent_minutes, 5);
        let (alarms, problems) = load(
            "[alarms]\nurgent_minutes = 4\n[[alarms.tenants]]\ntenant = \"lake\"\nurgent_minutes = 2\ntimes = 0\n\
             [[alarms.webhooks]]\nname = \"duty\"\nurl = \"https://duty.example/a\"\ntenants = [\"lake\"]\n\
             headers = { Authorization = \"DUTY\" }\n",
        );
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(alarms.of("riverbend").urgent_minutes, 4);
        let lake = alarms.of("lake");
        assert_eq!((lake.urgent_minutes, lake.high_minutes, lake.times), (2, 15, 0));
        assert!(alarms.hooks[0].serves("lake") && !alarms.hooks[0].serves("riverbend"));
        assert!(!format!("{alarms:?}").contains("s3cret"));
    }

    #[test]
    fn each_wrong_setting_is_named_with_its_remedy() {
        let hook = "[[alarms.webhooks]]\nname = \"a\"\nurl = \"https://x.example\"\n";
        let mail = "[[alarms.mail]]\nname = \"a\"\nfrom = \"a@b.gov\"\nto = [\"c@d.gov\"]\n";
        assert!(load(mail).1.is_empty());
        for (text, told) in [
            ("[alarms]\nurgent_minutes = 0\n", "alarms.urgent_minutes"),
            ("[alarms]\nminutes = 5\n", "is not a setting"),
            ("[[alarms.tenants]]\ntimes = 2\n", "names no tenant"),
            ("[[alarms.tenants]]\ntenant = \"a\"\ntimes = 99\n", "from 0 to 20"),
            ("[[alarms.webhooks]]\nname = \"a\"\nurl = \"http://far.example\"\n", "not encrypted"),
            (&*format!("{hook}headers = {{ A = \"MISSING\" }}\n"), "MISSING"),
            (&*format!("{hook}secret = 1\n"), "no setting here"),
            (&*format!("{hook}{hook}"), "twice"),
            (&*format!("{mail}relay = \"192.0.2.1:25\"\n"), "no address of this machine"),
            (
                "[[alarms.mail]]\nname = \"a\"\nfrom = \"x\"\nto = [\"a@b.gov\\r\\nDATA\"]\n",
                "no mail address",
            ),
        ] {
            let shown = format!("{:?}", load(text).1);
            assert!(shown.contains(told), "{text}: {shown}");
        }
    }
}
