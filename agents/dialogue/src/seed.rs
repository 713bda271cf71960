//! What the demo tenant, Riverbend County, starts with. Plain data: the gateway puts it into the store.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, TimeZone, Utc, Weekday};
use chrono_tz::Tz;
use serde::Deserialize;

use crate::builtin::TenantFacts;
use knowledge::Document;

const TENANT: &str = include_str!("../data/riverbend/tenant.toml");
const CLAIMS: &str = include_str!("../data/riverbend/claims.toml");
const RULES: &str = include_str!("../data/riverbend/tenant.rules");

macro_rules! documents {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../data/riverbend/docs/", $name, ".md")))),+]
    };
}

/// Source name and Markdown of every document.
const DOCUMENTS: &[(&str, &str)] = documents![
    "ada",
    "animal-control",
    "board-meetings",
    "building-permits",
    "bulk-pickup",
    "burn-permits",
    "business-license",
    "child-support",
    "claims",
    "clerk",
    "courts-tickets",
    "dog-license",
    "elections",
    "fire-department",
    "flooding",
    "genealogy-archives",
    "hazardous-waste",
    "health-clinic",
    "housing",
    "inspections",
    "jobs",
    "jury-duty",
    "library",
    "marriage-license",
    "mosquitoes-pests",
    "noise",
    "parks",
    "passports",
    "potholes",
    "property-assessment",
    "property-tax",
    "public-records",
    "recycling",
    "restaurant-inspections",
    "road-closures",
    "safety-reporting",
    "seniors",
    "sheriff",
    "snow-plowing",
    "streetlights",
    "transit",
    "trash",
    "vehicle-registration",
    "veterans",
    "vital-records",
    "water-bill",
    "water-quality",
    "wic-food",
    "yard-waste",
    "zoning",
    // In Spanish; the folder is part of the source.
    "es/accesibilidad",
    "es/actas",
    "es/adultos-mayores",
    "es/agua",
    "es/agua-potable",
    "es/alguacil",
    "es/alimentos",
    "es/alumbrado",
    "es/animales",
    "es/archivo",
    "es/autobuses",
    "es/avaluo",
    "es/baches",
    "es/basura",
    "es/biblioteca",
    "es/bomberos",
    "es/calles-cerradas",
    "es/clinica",
    "es/documentos-publicos",
    "es/elecciones",
    "es/empleos",
    "es/familia",
    "es/impuestos",
    "es/inspecciones",
    "es/inundaciones",
    "es/jardin",
    "es/junta-condado",
    "es/jurado",
    "es/matrimonio",
    "es/multas",
    "es/negocios",
    "es/nieve",
    "es/objetos-grandes",
    "es/parques",
    "es/pasaportes",
    "es/peligros",
    "es/permisos",
    "es/perros",
    "es/plagas",
    "es/quemas",
    "es/reciclaje",
    "es/reclamos",
    "es/residuos-peligrosos",
    "es/restaurantes",
    "es/ruido",
    "es/secretaria",
    "es/vehiculos",
    "es/veteranos",
    "es/vivienda",
    "es/zonificacion",
];

/// A claim that callers may ask about.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct SeedClaim {
    pub claim_number: String,
    pub status: String,
    pub status_text: String,
    pub name: String,
    /// ISO date.
    pub date_of_birth: String,
    /// E.164.
    pub phone: String,
    /// Four digits. The store keeps a hash.
    #[serde(default)]
    pub pin: Option<String>,
}

/// A free inspection time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeedOpening {
    pub starts_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    pub label: String,
}

/// Everything for a first start.
#[derive(Clone, PartialEq, Debug)]
pub struct Seed {
    pub facts: TenantFacts,
    pub documents: Vec<Document>,
    pub claims: Vec<SeedClaim>,
    pub openings: Vec<SeedOpening>,
    /// The county's own rules and constants.
    pub rules: String,
}

/// Why seed data cannot be used; a test rules it out for what ships.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("seed data: {0}")]
pub struct SeedError(String);

/// Riverbend County as of `now`: facts, documents, demo claims, rules, and free times for three weeks.
///
/// # Errors
/// Only when the shipped data is broken.
pub fn riverbend(now: DateTime<Utc>) -> Result<Seed, SeedError> {
    let facts: TenantFacts = toml::from_str(TENANT).map_err(|e| SeedError(e.to_string()))?;
    let openings = openings(&facts, now, 21);
    Ok(Seed { documents: documents(), claims: claims()?, openings, facts, rules: RULES.to_owned() })
}

/// The county's documents, with their front matter.
#[must_use]
pub fn documents() -> Vec<Document> {
    let document = |(name, content): &(&str, &str)| Document {
        source: format!("riverbend/{name}.md"),
        title: content.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name).to_owned(),
        content: (*content).to_owned(),
        media_type: Some("text/markdown".to_owned()),
        ..Document::default()
    };
    DOCUMENTS.iter().map(document).collect()
}

fn claims() -> Result<Vec<SeedClaim>, SeedError> {
    #[derive(Deserialize)]
    struct File {
        claim: Vec<SeedClaim>,
    }
    toml::from_str::<File>(CLAIMS).map(|file| file.claim).map_err(|e| SeedError(e.to_string()))
}

/// Free inspection times of the next `days` days: weekdays at 9, 10:30, 1 and 3, beginning tomorrow.
#[must_use]
pub fn openings(facts: &TenantFacts, now: DateTime<Utc>, days: u64) -> Vec<SeedOpening> {
    let zone: Tz = facts.timezone.parse().unwrap_or(Tz::UTC);
    let today = now.with_timezone(&zone).date_naive();
    (1..=days)
        .filter_map(|n| today.checked_add_days(Days::new(n)))
        .filter(|day| !matches!(day.weekday(), Weekday::Sat | Weekday::Sun))
        .flat_map(|day| {
            [(9, 0), (10, 30), (13, 0), (15, 0)].into_iter().filter_map(move |at| opening(zone, day, at))
        })
        .collect()
}

fn opening(zone: Tz, day: NaiveDate, (hour, minute): (u32, u32)) -> Option<SeedOpening> {
    let local = day.and_time(NaiveTime::from_hms_opt(hour, minute, 0)?);
    let starts_at = zone.from_local_datetime(&local).earliest()?.with_timezone(&Utc);
    Some(SeedOpening {
        starts_at,
        ends_at: starts_at + chrono::Duration::hours(1),
        label: "safety inspection".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn seed_is_whole() {
        let now = Utc.with_ymd_and_hms(2026, 11, 22, 14, 0, 0).unwrap();
        let seed = riverbend(now).unwrap();
        assert!(seed.documents.len() >= 40 && seed.claims.len() >= 4);
        assert!(seed.claims.iter().filter(|claim| claim.pin.is_some()).count() >= 2);
        let spanish =
            seed.documents.iter().filter(|d| knowledge::parse(d).front.language.as_deref() == Some("es"));
        assert!(spanish.count() >= 4);
        assert_eq!(seed.openings.len(), 15 * 4);
        assert!(seed.openings.iter().all(|o| o.starts_at > now));
        for document in &seed.documents {
            let parsed = knowledge::parse(document);
            assert!(
                parsed.front.spoken.is_some() && !parsed.front.asked_as.is_empty(),
                "{}",
                document.source
            );
            assert!(parsed.sections.len() >= 2, "{}", document.source);
            for heading in parsed.front.asked.keys() {
                let stands = parsed.sections.iter().any(|section| section.heading.as_ref() == Some(heading));
                assert!(stands, "{}: {heading}", document.source);
            }
        }
    }

    #[test]
    fn every_number_in_the_documents_is_public() {
        let facts: TenantFacts = toml::from_str(TENANT).unwrap();
        let number = regex::Regex::new(r"\d{3}-\d{3}-\d{4}").unwrap();
        for document in documents() {
            for found in number.find_iter(&document.content) {
                assert!(
                    facts.public_numbers.iter().any(|n| n == found.as_str()),
                    "{}: {}",
                    document.source,
                    found.as_str()
                );
            }
        }
    }

    #[test]
    fn no_shipped_page_is_spoken_in_sentences_that_are_too_long() {
        for document in documents() {
            for section in knowledge::parse(&document).sections {
                for (_, sentence) in knowledge::speakable(&section.text) {
                    let words = sentence.split_whitespace().count();
                    assert!(words <= knowledge::SENTENCE, "{}: {words}: {sentence}", document.source);
                }
            }
        }
    }
}
