//! The demo county, for tests: what its folder holds, as text.

use std::path::{Path, PathBuf};

use serde::Deserialize;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../dialogue/data/riverbend")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Its own telephone numbers.
pub fn numbers() -> Vec<String> {
    #[derive(Deserialize)]
    struct Tenant {
        office_phone: String,
        public_numbers: Vec<String>,
    }
    let tenant: Tenant = toml::from_str(&read(&folder().join("tenant.toml"))).expect("tenant.toml");
    tenant.public_numbers.into_iter().chain([tenant.office_phone]).collect()
}

/// Name and text of each document; those in Spanish begin with `es/`.
pub fn documents() -> Vec<(String, String)> {
    let mut out = Vec::new();
    for (prefix, inner) in [("", "docs"), ("es/", "docs/es")] {
        for entry in std::fs::read_dir(folder().join(inner)).expect("documents").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            if path.extension().is_some_and(|e| e == "md") {
                out.push((format!("{prefix}{}", name.to_string_lossy()), read(&path)));
            }
        }
    }
    out
}

/// What callers are told of each claim.
pub fn statuses() -> Vec<String> {
    #[derive(Deserialize)]
    struct Claim {
        status_text: String,
    }
    #[derive(Deserialize)]
    struct Claims {
        claim: Vec<Claim>,
    }
    let claims: Claims = toml::from_str(&read(&folder().join("claims.toml"))).expect("claims.toml");
    claims.claim.into_iter().map(|claim| claim.status_text).collect()
}
