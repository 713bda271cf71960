//! Addresses of boxes and rural routes, and those in Spanish and of Puerto Rico.

use language::Language;

use crate::line::{Rng, Style};
use crate::places::Places;
use crate::say;

impl Places {
    pub fn boxed(&self, language: Language, style: Style, rng: &mut Rng) -> String {
        let number = say::digits(&(1 + rng.below(15_000)).to_string(), language, style, rng);
        let route = say::digits(&(1 + rng.below(9)).to_string(), language, style, rng);
        let head = match rng.below(6) {
            0 => format!("{} {route}, Box {number}", rng.of(&["Rural Route", "RR", "Route", "R R"])),
            1 => format!("HC {route}, Box {number}"),
            2 if language == Language::Es => {
                format!("{} {number}", rng.of(&["Apartado", "apartado postal", "PO Box"]))
            }
            3 if language == Language::Es => format!("HC-0{} Box {number}", 1 + rng.below(9)),
            _ => format!(
                "{} {number}",
                rng.of(&["PO Box", "P.O. Box", "P O Box", "post office box", "Box", "PO Box"])
            ),
        };
        let town = self.town(language, rng);
        match rng.below(4) {
            0 => head,
            1 => format!("{head}, {town}"),
            _ => {
                let (long, short) = rng.one(&self.states);
                let state = if language == Language::Es && rng.percent(50) {
                    if style.said() { "Puerto Rico" } else { "PR" }
                } else if style.said() {
                    long
                } else {
                    short
                };
                format!(
                    "{head}, {town}, {state} {}",
                    if rng.percent(60) { self.zip(style, rng) } else { String::new() }
                )
            }
        }
    }

    pub fn spanish(&self, house: &str, style: Style, rng: &mut Rng) -> String {
        let street = if rng.percent(85) {
            self.street(Language::Es, style, 0, rng)
        } else {
            rng.one(&self.calles).clone()
        };
        let number =
            rng.of(&["número ", "número ", "numero ", "núm. ", "#", "No. ", "casa ", "número de casa "]);
        let number =
            if style.said() && !number.starts_with(char::is_alphabetic) { "número " } else { number };
        let urbanization = format!(
            "{} {}",
            rng.of(&[
                "urbanización",
                "Urb.",
                "Urb",
                "reparto",
                "residencial",
                "barrio",
                "colonia",
                "sector",
                "parcelas",
                "condominio",
                "Bo.",
                "Res.",
                "Cond."
            ]),
            rng.one(&self.urbanizaciones)
        );
        let block = format!("{}{}{house}", char::from(b'A' + rng.below(20) as u8), rng.of(&["-", " ", "-"]));
        match rng.below(12) {
            0..=2 => format!("{street} {house}"),
            3..=5 => format!("{street}{}{number}{house}", rng.of(&[" ", ", "])),
            6 => format!("{urbanization}, {street} {}", if rng.percent(50) { &block } else { house }),
            7 => format!("{street} {number}{house}, {urbanization}"),
            8 => format!("{house} {street}"),
            9 => format!("{} {house} de la {street}", rng.of(&["el", "la casa", "el número", "la"])),
            10 => format!(
                "{urbanization}, edificio {}, apartamento {house}",
                say::digits(&(1 + rng.below(40)).to_string(), Language::Es, style, rng)
            ),
            _ => {
                let n = say::digits(&(1 + rng.below(999)).to_string(), Language::Es, style, rng);
                let km = say::digits(&(1 + rng.below(60)).to_string(), Language::Es, style, rng);
                format!(
                    "carretera {n} {} {km}{}",
                    rng.of(&["kilómetro", "km", "km."]),
                    if rng.percent(50) {
                        format!("{}{}", if style.said() { " punto " } else { "." }, 1 + rng.below(9))
                    } else {
                        String::new()
                    }
                )
            }
        }
    }
}
