//! `[[mcp]]`: servers outside whose tools a front desk that a model drives may use.

use pipeline::provider::Endpoint;
use toml::{Table, Value};
use work::tools::registry::Effect;
use work::tools::remote::Settings;

use super::source::Source;

/// Servers at most.
const MOST: usize = 16;
/// What a row may say.
const KEYS: [&str; 9] =
    ["name", "url", "headers", "allow", "tenants", "effect", "autonomy", "time_limit_ms", "personal_data"];

/// What is wrong with a row, and the remedy.
struct Fault(String, &'static str);

pub(super) fn read(s: &mut Source<'_>) -> Vec<Settings> {
    let Some((tables, origin)) = s.tables("mcp") else { return Vec::new() };
    let mut servers: Vec<Settings> = Vec::new();
    for (number, table) in (1..).zip(&tables) {
        let row = read_row(table, &|var| s.var(var)).and_then(|row| {
            if servers.iter().any(|known| known.name == row.name) || servers.len() == MOST {
                return Err(Fault(
                    "is a name that is there twice, or the 17th".to_owned(),
                    "use another name",
                ));
            }
            Ok(row)
        });
        match row {
            Ok(row) => servers.push(row),
            Err(Fault(problem, fix)) => s.problem(format!("{origin} row {number}"), problem, fix),
        }
    }
    servers
}

fn read_row(table: &Table, var: &dyn Fn(&str) -> Option<secrecy::SecretString>) -> Result<Settings, Fault> {
    if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(Fault(format!("`{unknown}` is no setting of a server"), "see docs/guides/tools.md"));
    }
    let name = text(table, "name").unwrap_or_default();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > 24 || !name.chars().all(fits) {
        return Err(Fault(
            "has no name".to_owned(),
            "add name = \"permits\": 1 to 24 small letters, digits, dashes",
        ));
    }
    let url = text(table, "url").unwrap_or_default();
    let endpoint = Endpoint::parse(&url)
        .map_err(|what| Fault(format!("url {what}"), "write it as https://mcp.example.com/mcp"))?;
    if !endpoint.is_secure() && !endpoint.is_loopback() {
        return Err(Fault(format!("{} is not encrypted", endpoint.host()), "use https"));
    }
    let allow = words(table, "allow")?.unwrap_or_default();
    if allow.is_empty() {
        return Err(Fault(
            "allows no tool".to_owned(),
            "name those that may be used: allow = [\"find_permit\"]",
        ));
    }
    let mut headers = Vec::new();
    if let Some(given) = table.get("headers") {
        let wrong = || {
            Fault(
                "headers are no table".to_owned(),
                "write headers = { Authorization = \"NAME_OF_A_VARIABLE\" }",
            )
        };
        for (header, variable) in given.as_table().ok_or_else(wrong)? {
            let variable = variable.as_str().ok_or_else(wrong)?;
            let value = var(variable).ok_or_else(|| {
                let named: String =
                    variable.chars().take(64).filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                Fault(
                    format!("the variable {named} for the header {header} is not set"),
                    "set it in the environment",
                )
            })?;
            headers.push((header.clone(), value));
        }
    }
    let effect = match text(table, "effect").as_deref() {
        Some("read") => Effect::Read,
        None | Some("write") => Effect::Write,
        Some(_) => {
            return Err(Fault("effect is neither read nor write".to_owned(), "choose from read, write"));
        }
    };
    Ok(Settings {
        url: endpoint.http(""),
        headers,
        allow,
        tenants: words(table, "tenants")?,
        effect,
        autonomy: number(table, "autonomy", 1..=5, 5)? as u8,
        time_limit_ms: number(table, "time_limit_ms", 100..=30_000, 3_000)? as u32,
        personal_data: match table.get("personal_data") {
            None => false,
            Some(Value::Boolean(yes)) => *yes,
            Some(_) => {
                return Err(Fault(
                    "personal_data is neither true nor false".to_owned(),
                    "choose from true, false",
                ));
            }
        },
        name,
    })
}

fn text(table: &Table, key: &str) -> Option<String> {
    table.get(key).and_then(Value::as_str).map(|text| text.trim().to_owned())
}

fn words(table: &Table, key: &'static str) -> Result<Option<Vec<String>>, Fault> {
    let Some(given) = table.get(key) else { return Ok(None) };
    let words = given.as_array().and_then(|all| all.iter().map(|w| w.as_str().map(str::to_owned)).collect());
    words.map(Some).ok_or_else(|| Fault(format!("{key} is no list of words"), "write [\"a\", \"b\"]"))
}

fn number(
    table: &Table,
    key: &'static str,
    range: std::ops::RangeInclusive<i64>,
    default: i64,
) -> Result<i64, Fault> {
    match table.get(key) {
        None => Ok(default),
        Some(Value::Integer(n)) if range.contains(n) => Ok(*n),
        Some(_) => Err(Fault(
            format!("{key} is not from {} to {}", range.start(), range.end()),
            "correct it, or leave it out",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> (Vec<Settings>, Vec<super::super::Problem>) {
        let env = |name: &str| (name == "PERMITS").then(|| "Bearer s3cret".to_owned());
        let mut source = Source::new(text.parse().unwrap(), "t.toml".to_owned(), &env);
        let servers = read(&mut source);
        (servers, source.finish())
    }

    #[test]
    fn a_server_has_careful_defaults_and_its_secret_from_the_environment() {
        let (servers, problems) = load(
            "[[mcp]]\nname = \"permits\"\nurl = \"https://mcp.example.com/mcp\"\nallow = [\"find\"]\nheaders = { Authorization = \"PERMITS\" }\n",
        );
        assert!(problems.is_empty(), "{problems:?}");
        let server = &servers[0];
        assert_eq!((server.effect, server.autonomy, server.time_limit_ms), (Effect::Write, 5, 3_000));
        assert!(!server.personal_data && server.tenants.is_none());
        assert_eq!((server.url.as_str(), server.headers.len()), ("https://mcp.example.com/mcp", 1));
        assert!(!format!("{server:?}").contains("s3cret"));
    }

    #[test]
    fn each_wrong_row_is_named_with_its_remedy_and_no_value_of_it() {
        let base = "name = \"a\"\nurl = \"https://x.example\"\nallow = [\"t\"]\n";
        for (row, told) in [
            ("url = \"https://x.example\"", "has no name"),
            ("name = \"a\"\nurl = \"https://x.example\"", "allows no tool"),
            ("name = \"a\"\nurl = \"http://far.example\"\nallow = [\"t\"]", "not encrypted"),
            ("name = \"a\"\nurl = \"https://u:s3cret@x.example\"\nallow = [\"t\"]", "holds a user name"),
            (format!("{base}headers = {{ Authorization = \"MISSING\" }}").as_str(), "MISSING"),
            (format!("{base}effect = \"both\"").as_str(), "neither read nor write"),
            (format!("{base}autonomy = 6").as_str(), "from 1 to 5"),
            (format!("{base}timeout = 6").as_str(), "is no setting"),
            (format!("{base}[[mcp]]\n{base}").as_str(), "twice"),
        ] {
            let (_, problems) = load(&format!("[[mcp]]\n{row}\n"));
            let shown = format!("{problems:?}");
            assert!(
                problems.len() == 1 && shown.contains(told) && !shown.contains("s3cret"),
                "{row}: {shown}"
            );
        }
    }
}
