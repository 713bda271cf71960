//! `[sign_in.openid]`: a provider outside that says who somebody is, and what its word is worth here.

use pipeline::provider::Endpoint;
use secrecy::SecretString;
use storage::Role;
use toml::{Table, Value};

use super::source::Source;

const MAP_KEYS: [&str; 3] = ["value", "role", "tenant"];
/// Entries of the map at most.
const MOST: usize = 256;

/// Settings of the provider.
#[derive(Clone, Debug)]
pub struct OpenId {
    /// As the provider writes it, to the last character.
    pub issuer: String,
    /// Whether the issuer is on this machine: then, and only then, plain HTTP will do.
    pub is_loopback: bool,
    pub client_id: String,
    /// Without one we are a public client: PKCE alone binds the code.
    pub client_secret: Option<SecretString>,
    /// What the button says.
    pub name: String,
    /// Asked for beside `openid`.
    pub scopes: Vec<String>,
    /// Path to the claim that decides role and tenant, its steps between dots.
    pub claim: String,
    pub map: Vec<Mapped>,
    /// People without an address that the provider has verified are not let in.
    pub needs_verified_email: bool,
}

/// What one value of the claim stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    pub value: String,
    pub role: Role,
    /// Slug; none for the platform's own people.
    pub tenant: Option<String>,
}

pub(super) fn read(s: &mut Source<'_>) -> Option<OpenId> {
    let issuer = s.text("sign_in.openid.issuer", None);
    let client_id = s.text("sign_in.openid.client_id", None).map(|(text, _)| text);
    let client_secret = s.secret_from_env("OPENID_CLIENT_SECRET");
    let name = s.text("sign_in.openid.name", None).map(|(text, _)| text);
    let scopes = s.list("sign_in.openid.scopes", None).map(|(scopes, _)| scopes);
    let claim = s.text("sign_in.openid.claim", None).map(|(text, _)| text);
    let needs_verified_email = s.flag("sign_in.openid.verified_email", None).unwrap_or(true);
    let map = read_map(s);
    let Some((issuer, origin)) = issuer else {
        if client_id.is_some() || !map.is_empty() {
            let fix = "add issuer = \"https://id.example.gov\" as the provider writes it";
            s.problem("sign_in.openid.issuer", "is missing", fix);
        }
        return None;
    };
    let is_loopback = match Endpoint::parse(&issuer) {
        Ok(endpoint) if endpoint.is_secure() || endpoint.is_loopback() => endpoint.is_loopback(),
        Ok(_) => {
            s.problem(origin, "is not encrypted", "use https");
            return None;
        }
        Err(what) => {
            s.problem(origin, what.to_string(), "write it as https://id.example.gov");
            return None;
        }
    };
    if map.is_empty() {
        let fix = "add [[sign_in.openid.map]] with value, role and tenant; see docs/guides/sign-in.md";
        s.problem("sign_in.openid.map", "is empty, so nobody could sign in", fix);
    }
    let Some(client_id) = client_id else {
        let fix = "add client_id as the provider registered this gateway";
        s.problem("sign_in.openid.client_id", "is missing", fix);
        return None;
    };
    Some(OpenId {
        issuer,
        is_loopback,
        client_id,
        client_secret,
        name: name.unwrap_or_else(|| "your organization".to_owned()),
        scopes: scopes.unwrap_or_else(|| vec!["profile".to_owned(), "email".to_owned()]),
        claim: claim.unwrap_or_else(|| "groups".to_owned()),
        map,
        needs_verified_email,
    })
}

fn read_map(s: &mut Source<'_>) -> Vec<Mapped> {
    let Some((tables, origin)) = s.tables("sign_in.openid.map") else { return Vec::new() };
    if tables.len() > MOST {
        s.problem(&origin, format!("has more than {MOST} entries"), "map groups, not people");
        return Vec::new();
    }
    let mut map: Vec<Mapped> = Vec::new();
    for (n, table) in tables.iter().enumerate() {
        match read_mapped(table) {
            Ok(one) => map.push(one),
            Err((what, fix)) => s.problem(format!("{origin} entry {}", n + 1), what, fix),
        }
    }
    map
}

fn read_mapped(table: &Table) -> Result<Mapped, (String, &'static str)> {
    if let Some(unknown) = table.keys().find(|key| !MAP_KEYS.contains(&key.as_str())) {
        return Err((format!("`{unknown}` is no setting here"), "give value, role and tenant"));
    }
    let text = |key: &str| table.get(key).and_then(Value::as_str).map(|text| text.trim().to_owned());
    let value = text("value").filter(|value| !value.is_empty());
    let value = value.ok_or_else(|| ("names no value".to_owned(), "add value = \"a-group\""))?;
    let roles = "one of clerk, supervisor, agent-admin, tenant-admin, auditor, platform-admin";
    let role: Role =
        text("role").and_then(|role| role.parse().ok()).ok_or(("names no role".to_owned(), roles))?;
    let tenant = text("tenant");
    match (role, &tenant) {
        (Role::PlatformAdmin, Some(_)) => {
            Err(("gives platform-admin to one tenant".to_owned(), "leave tenant out"))
        }
        (Role::PlatformAdmin, None) | (_, Some(_)) => Ok(Mapped { value, role, tenant }),
        (_, None) => Err(("names no tenant".to_owned(), "add tenant = \"riverbend\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> (Option<OpenId>, String) {
        let env = |name: &str| (name == "OPENID_CLIENT_SECRET").then(|| "s3cret".to_owned());
        let mut source = Source::new(text.parse().unwrap(), "t.toml".to_owned(), &env);
        let read = read(&mut source);
        (read, format!("{:?}", source.finish()))
    }

    const HEAD: &str = "[sign_in.openid]\nissuer = \"https://id.example.gov\"\nclient_id = \"quandura\"\n";
    const CLERKS: &str =
        "[[sign_in.openid.map]]\nvalue = \"clerks\"\nrole = \"clerk\"\ntenant = \"riverbend\"\n";

    #[test]
    fn nothing_given_is_no_provider_and_a_whole_one_is_read() {
        assert!(load("").0.is_none());
        let (read, problems) = load(&format!("{HEAD}{CLERKS}"));
        let read = read.unwrap();
        assert_eq!(problems, "[]");
        assert_eq!((read.claim.as_str(), read.map.len(), read.needs_verified_email), ("groups", 1, true));
        assert!(!format!("{read:?}").contains("s3cret") && read.client_secret.is_some());
    }

    #[test]
    fn each_wrong_setting_is_named_with_its_remedy() {
        let entry = |text: &str| format!("{HEAD}[[sign_in.openid.map]]\n{text}");
        for (text, told) in [
            (HEAD.to_owned(), "nobody could sign in"),
            (CLERKS.to_owned(), "sign_in.openid.issuer"),
            (format!("[sign_in.openid]\nissuer = \"https://id.example.gov\"\n{CLERKS}"), "client_id"),
            (
                format!("[sign_in.openid]\nissuer = \"http://id.example.gov\"\nclient_id = \"q\"\n{CLERKS}"),
                "https",
            ),
            (format!("{HEAD}client_secret = \"x\"\n{CLERKS}"), "client_secret"),
            (entry("role = \"clerk\"\ntenant = \"a\"\n"), "names no value"),
            (entry("value = \"a\"\nrole = \"boss\"\ntenant = \"a\"\n"), "names no role"),
            (entry("value = \"a\"\nrole = \"clerk\"\n"), "names no tenant"),
            (entry("value = \"a\"\nrole = \"platform-admin\"\ntenant = \"a\"\n"), "leave tenant out"),
            (entry("value = \"a\"\nrole = \"clerk\"\ntenant = \"a\"\ngroup = 1\n"), "`group` is no setting"),
        ] {
            let shown = load(&text).1;
            assert!(shown.contains(told), "{text}: {shown}");
            assert!(!shown.contains("s3cret"));
        }
    }
}
