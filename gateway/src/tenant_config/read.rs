//! From text to a document, with the place of everything that is wrong with its form.

use serde_json::Value;
use work::placed::{self, Placed, Places};

use super::TenantConfig;

pub use work::placed::{Fault, MOST_FAULTS, within};

/// A document that was read, as far as it could be.
#[derive(Debug, Default)]
pub struct Reading {
    pub config: TenantConfig,
    pub faults: Vec<Fault>,
    /// Line of every key.
    places: Places,
}

impl Reading {
    /// Gives faults the line of their key, or of the nearest one around it.
    pub fn place(&self, faults: &mut [Fault]) {
        self.places.place(faults);
    }
}

/// Reads TOML. Everything that is wrong with its form is told, not only the first.
#[must_use]
pub fn toml(text: &str) -> Reading {
    let Placed { read, faults, places } = placed::toml(text);
    Reading { config: read.unwrap_or_default(), faults, places }
}

/// Reads JSON: the same document.
#[must_use]
pub fn json(text: &str) -> Reading {
    let value = match serde_json::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => without_nulls(value),
        Ok(_) => return refused(None, "no JSON object".to_owned()),
        Err(error) => return refused(Some(error.line()), format!("no JSON: {error}")),
    };
    match ::toml::to_string(&value) {
        Ok(text) => {
            let mut reading = toml(&text);
            reading.places = Places::default();
            reading.faults.iter_mut().for_each(|fault| fault.line = None);
            reading
        }
        Err(error) => refused(None, format!("cannot be read: {error}")),
    }
}

fn refused(line: Option<usize>, message: String) -> Reading {
    Reading { faults: vec![Fault { key: String::new(), line, message }], ..Reading::default() }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key, without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_wrong_is_told_with_its_line_and_key() {
        let text = "name = \"Oakdale\"\nkind = \"duchy\"\n[office]\nadress = \"2 Mill Road\"\nphone = 7\n\n[[line]]\n\
                    number = \"+12025550171\"\n[[line]]\nnumber = \"+12025550172\"\nlanguages = [\"en\", 5]\n\
                    [offices]\nphone = 1\n";
        let reading = toml(text);
        let told: Vec<(Option<usize>, &str)> =
            reading.faults.iter().map(|fault| (fault.line, fault.key.as_str())).collect();
        let mut sorted = told.clone();
        sorted.sort_unstable();
        assert_eq!(
            sorted,
            [
                (Some(2), "kind"),
                (Some(4), "office.adress"),
                (Some(5), "office.phone"),
                (Some(11), "line[2].languages[2]"),
                (Some(12), "offices"),
            ],
            "{:#?}",
            reading.faults
        );
        // What is right was read all the same.
        assert_eq!((reading.config.name.as_str(), reading.config.lines.len()), ("Oakdale", 2));
        assert!(
            reading.faults.iter().any(|fault| fault.message.contains("there are")),
            "{:?}",
            reading.faults
        );
    }

    #[test]
    fn what_is_no_toml_says_where() {
        let reading = toml("name = \"Oakdale\"\nkind = \n");
        assert_eq!(reading.faults[0].line, Some(2), "{:?}", reading.faults);
        assert_eq!(json("[]").faults.len(), 1);
        assert_eq!(json("{\n\"name\": }").faults[0].line, Some(2));
    }

    #[test]
    fn json_is_the_same_document() {
        let reading = json("{\"name\": \"Oakdale\", \"kind\": null, \"line\": [{\"numbre\": 1}]}");
        assert_eq!(reading.config.name, "Oakdale");
        assert_eq!((reading.faults[0].key.as_str(), reading.faults[0].line), ("line[1].numbre", None));
    }

    #[test]
    fn a_later_fault_is_placed_at_its_key_or_at_the_nearest_around_it() {
        let reading = toml(
            "name = \"Oakdale\"\n[wording.en]\n\"incident.when.ask\" = [\"When?\"]\n[[line]]\nname = \"a\"\n",
        );
        let mut faults = [
            Fault::new("wording.en.\"incident.when.ask\"", ""),
            Fault::new("line[1].number", ""),
            Fault::new("slug", ""),
        ];
        reading.place(&mut faults);
        assert_eq!(faults.map(|fault| fault.line), [Some(3), Some(4), None]);
    }
}
