//! Addresses, written and said, in English, Spanish and Puerto Rico's forms.

use std::error::Error;
use std::path::Path;

use language::Language;

use crate::line::{Rng, Style};
use crate::names::title;
use crate::say;

#[derive(Clone, Debug, Default)]
pub struct Places {
    pub streets: Vec<String>,
    types: Vec<(String, String)>,
    pub calles: Vec<String>,
    pub urbanizaciones: Vec<String>,
    pub towns: Vec<String>,
    pub pueblos: Vec<String>,
    pub states: Vec<(String, String)>,
    /// Whole addresses out of a public set of labelled ones.
    labelled: Vec<String>,
}

impl Places {
    pub fn load(folder: &Path, public: &Path) -> Result<Self, Box<dyn Error>> {
        let mut out = Self::default();
        let pairs = |rest: &str| -> Vec<(String, String)> {
            let pairs = rest.split_whitespace().filter_map(|pair| pair.split_once(':'));
            pairs.map(|(long, short)| (title(&long.replace('-', " ")), short.to_owned())).collect()
        };
        for line in std::fs::read_to_string(folder.join("places.txt"))?.lines() {
            let Some((name, rest)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) else {
                continue;
            };
            let words = || rest.split_whitespace().map(|word| title(&word.replace('-', " "))).collect();
            match name {
                "streets" => out.streets = words(),
                "calles" => out.calles = words(),
                "urbanizaciones" => out.urbanizaciones = words(),
                "towns" => out.towns = words(),
                "pueblos" => out.pueblos = words(),
                "states" => out.states = pairs(rest),
                // The common ones three times.
                "types" => out.types.extend(pairs(rest)),
                _ => (0..3).for_each(|_| out.types.extend(pairs(rest))),
            }
        }
        let labelled = std::fs::read_to_string(public.join("usaddress/training/labeled.xml"))?;
        out.labelled = labelled.split("<AddressString>").filter_map(labelled_address).collect();
        Ok(out)
    }

    pub fn labelled(&self) -> usize {
        self.labelled.len()
    }

    pub fn town(&self, language: Language, rng: &mut Rng) -> String {
        let towns = if language == Language::Es && rng.percent(60) { &self.pueblos } else { &self.towns };
        rng.one(towns).clone()
    }

    fn kind(&self, style: Style, rng: &mut Rng) -> String {
        let (long, short) = rng.one(&self.types);
        let written = style == Style::Written || style == Style::Lower;
        match rng.below(10) {
            0..=4 if written => format!("{}{}", title(short), if rng.percent(25) { "." } else { "" }),
            _ => long.clone(),
        }
    }

    /// Name of a street, its kind not always with it.
    pub fn street(&self, language: Language, style: Style, bare: usize, rng: &mut Rng) -> String {
        if language == Language::Es && rng.percent(55) {
            let kind = rng.of(&[
                "Calle",
                "Calle",
                "Calle",
                "Avenida",
                "Avenida",
                "Ave.",
                "Av.",
                "Callejón",
                "Paseo",
                "Camino",
                "Bulevar",
                "Carretera",
            ]);
            return format!(
                "{kind} {}",
                if rng.percent(15) { (1 + rng.below(60)).to_string() } else { rng.one(&self.calles).clone() }
            );
        }
        let written = style == Style::Written || style == Style::Lower;
        let way = |rng: &mut Rng| {
            let short = written && rng.percent(60);
            rng.of(if short {
                &["N", "S", "E", "W", "NE", "SW", "N.", "S.", "E.", "W.", "NW", "SE"]
            } else {
                &["North", "South", "East", "West", "Northeast", "Southwest", "Northwest", "Southeast"]
            })
            .to_owned()
        };
        match rng.below(100) {
            0..=12 => {
                let n = 1 + rng.below(if rng.percent(70) { 40 } else { 160 });
                let name =
                    if style.said() && rng.percent(75) { title(&say::ordinal(n)) } else { say::nth(n) };
                let before = if rng.percent(35) { format!("{} ", way(rng)) } else { String::new() };
                let kind = if rng.percent(bare) {
                    String::new()
                } else {
                    let kind = rng.of(&[
                        "Street", "Avenue", "Ave", "St", "Place", "Court", "Terrace", "Street", "Avenue",
                    ]);
                    format!(" {kind}")
                };
                let after = if rng.percent(15) { format!(" {}", way(rng)) } else { String::new() };
                format!("{before}{name}{kind}{after}")
            }
            13..=19 => {
                let n = (1 + rng.below(if rng.percent(50) { 99 } else { 900 })).to_string();
                let n = say::digits(&n, Language::En, style, rng);
                let kind = rng.of(&[
                    "County Road",
                    "Highway",
                    "State Route",
                    "Route",
                    "County Highway",
                    "Hwy",
                    "State Road",
                    "US Highway",
                    "CR",
                    "Township Road",
                    "Farm to Market Road",
                    "Old Highway",
                    "Interstate",
                    "State Highway",
                    "FM",
                ]);
                let after = if rng.percent(20) { format!(" {}", way(rng)) } else { String::new() };
                format!("{kind} {n}{after}")
            }
            20..=21 => format!(
                "{} {}",
                rng.of(&["Avenue", "Street", "County Road", "Road"]),
                char::from(b'A' + rng.below(20) as u8)
            ),
            _ => {
                let name =
                    if rng.percent(8) { self.person_like(rng) } else { rng.one(&self.streets).clone() };
                let before = if rng.percent(18) { format!("{} ", way(rng)) } else { String::new() };
                let old = if rng.percent(4) {
                    rng.of(&["Old ", "New ", "Upper ", "Little ", "Lower "])
                } else {
                    ""
                };
                let kind =
                    if rng.percent(bare) { String::new() } else { format!(" {}", self.kind(style, rng)) };
                let after = if rng.percent(8) { format!(" {}", way(rng)) } else { String::new() };
                format!("{before}{old}{name}{kind}{after}")
            }
        }
    }

    /// A street of two names.
    fn person_like(&self, rng: &mut Rng) -> String {
        let (a, b) = (rng.one(&self.streets), rng.one(&self.streets));
        if a.contains(' ') { a.clone() } else { format!("{a} {b}") }
    }

    pub fn house(&self, language: Language, style: Style, rng: &mut Rng) -> String {
        let n = match rng.below(100) {
            0..=6 => 1 + rng.below(9),
            7..=22 => 10 + rng.below(90),
            23..=55 => 100 + rng.below(900),
            56..=88 => 1000 + rng.below(9000),
            _ => 10_000 + rng.below(40_000),
        };
        let n = if rng.percent(12) && n > 200 {
            n / 100 * 100 + if rng.percent(50) { 0 } else { rng.below(10) }
        } else {
            n
        };
        let number = say::digits(&n.to_string(), language, style, rng);
        match rng.below(100) {
            0..=1 => format!("{number}{}", if style.said() { " and a half" } else { " 1/2" }),
            2..=4 => format!(
                "{number}{}{}",
                if style.said() { " " } else { "" },
                char::from(b'A' + rng.below(8) as u8)
            ),
            5 => format!("{number}-{}", 1 + rng.below(99)),
            6 if language == Language::En => {
                format!("{}{}{number}", rng.of(&["N", "W", "E", "S"]), if style.said() { " " } else { "" })
            }
            7 if language == Language::En && style == Style::Written => {
                rng.of(&["One", "Two", "Ten", "Four"]).to_owned()
            }
            _ => number,
        }
    }

    pub fn unit(&self, language: Language, style: Style, rng: &mut Rng) -> String {
        let mut n = 1 + rng.below(if rng.percent(70) { 40 } else { 1200 });
        if rng.percent(20) {
            n = n.max(1) * 100 % 2000 + rng.below(20);
        }
        let number = say::digits(&n.max(1).to_string(), language, style, rng);
        let letter = char::from(b'A' + rng.below(10) as u8);
        let number = match rng.below(10) {
            0 => letter.to_string(),
            1 | 2 => format!("{number}{}{letter}", if style.said() { " " } else { rng.of(&["", "-"]) }),
            _ => number,
        };
        if language == Language::Es {
            let kind = rng.of(&[
                "apartamento",
                "apto.",
                "apto",
                "apartamento",
                "unidad",
                "piso",
                "interior",
                "departamento",
                "lote",
                "apt",
                "edificio",
                "local",
                "número",
            ]);
            return match rng.below(12) {
                0 => rng
                    .of(&["segundo piso", "tercer piso", "primer piso", "el sótano", "planta baja"])
                    .to_owned(),
                _ => format!("{kind} {number}"),
            };
        }
        let kind = rng.of(&[
            "Apt",
            "Apt.",
            "apartment",
            "Apartment",
            "Unit",
            "unit",
            "Suite",
            "Lot",
            "lot",
            "Trailer",
            "Room",
            "Ste",
            "Bldg",
            "building",
            "space",
            "number",
            "Floor",
        ]);
        match rng.below(14) {
            0 | 1 => rng
                .of(&[
                    "second floor",
                    "upstairs",
                    "2nd floor",
                    "rear",
                    "first floor",
                    "basement",
                    "third floor",
                    "lower",
                    "upper",
                    "side door",
                    "the back unit",
                ])
                .to_owned(),
            2 if !style.said() => format!("#{number}"),
            _ => format!("{kind} {number}"),
        }
    }

    pub fn zip(&self, style: Style, rng: &mut Rng) -> String {
        let zip = format!("{:05}", 501 + rng.below(99_000));
        if style.said() {
            match rng.below(4) {
                0 => zip,
                1 => zip.chars().map(String::from).collect::<Vec<String>>().join(" "),
                _ => say::singly(&zip, Language::En, rng),
            }
        } else if rng.percent(6) {
            format!("{zip}-{:04}", rng.below(9999))
        } else {
            zip
        }
    }

    pub fn address(&self, language: Language, style: Style, rng: &mut Rng) -> String {
        let comma = if rng.percent(75) { ", " } else { " " };
        if !style.said() && rng.percent(14) && language == Language::En {
            return rng.one(&self.labelled).clone();
        }
        if rng.percent(7) {
            return self.boxed(language, style, rng);
        }
        let house = self.house(language, style, rng);
        let mut out = if language == Language::Es && rng.percent(70) {
            self.spanish(&house, style, rng)
        } else {
            let street = self.street(Language::En, style, 30, rng);
            format!("{house} {street}")
        };
        if rng.percent(30) {
            let unit = self.unit(language, style, rng);
            out = if rng.percent(6) { format!("{unit}{comma}{out}") } else { format!("{out}{comma}{unit}") };
        }
        if rng.percent(38) {
            out =
                format!("{out}{}{}", if rng.percent(12) { " in " } else { comma }, self.town(language, rng));
            if rng.percent(55) {
                let (long, short) = rng.one(&self.states);
                let state = if style.said() || rng.percent(25) { long } else { short };
                out = format!("{out}{}{state}", if rng.percent(50) { comma } else { " " });
            }
            if rng.percent(45) {
                out = format!("{out} {}", self.zip(style, rng));
            }
        } else if rng.percent(6) {
            out = format!("{out}{comma}{}", self.zip(style, rng));
        }
        out
    }
}

fn labelled_address(entry: &str) -> Option<String> {
    let text: String = entry
        .split_once("</AddressString>")?
        .0
        .split('<')
        .filter_map(|part| part.split_once('>').map_or(Some(part), |(_, text)| Some(text)))
        .collect();
    if !entry.trim_start().starts_with("<AddressNumber>")
        || entry.contains("Recipient")
        || entry.contains("Landmark")
    {
        return None;
    }
    let text = text.replace("&amp;", "&");
    let text = text.trim().trim_end_matches(',').trim();
    (entry.contains("<StreetName>") && text.len() < 90).then(|| text.to_owned())
}
