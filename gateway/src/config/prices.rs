//! What providers charge: the list that comes with the gateway, and the operator's own rows before it.

use std::collections::BTreeSet;

use pipeline::cost::Prices;
use pipeline::ports::Meter;
use toml::{Table, Value};

use super::source::{Origin, Source};

/// The list that comes with the gateway.
const BUILT_IN: &str = include_str!("../../data/prices.toml");

/// A price's name in a row, the meter it is for; its unit is in the name.
const METERS: [(&str, Meter); 7] = [
    ("audio_per_minute", Meter::AudioMs),
    ("characters_per_thousand", Meter::Characters),
    ("input_tokens_per_million", Meter::InputTokens),
    ("cache_read_tokens_per_million", Meter::CacheReadTokens),
    ("cache_write_tokens_per_million", Meter::CacheWriteTokens),
    ("output_tokens_per_million", Meter::OutputTokens),
    ("line_per_minute", Meter::LineMs),
];

/// Prices of one model, or of all models that begin alike.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceRow {
    pub provider: String,
    /// Exact, or a beginning with `*` behind it.
    pub model: String,
    /// US dollars for the unit of each meter.
    pub prices: Vec<(Meter, f64)>,
}

/// All rows.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceList {
    /// Day of the built-in rows.
    pub effective: String,
    /// The operator's rows.
    pub own: Vec<PriceRow>,
    pub built_in: Vec<PriceRow>,
}

/// Something that is used and costs money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    pub provider: &'static str,
    pub model: String,
    pub meters: &'static [Meter],
}

impl PriceRow {
    /// How exactly this row names a model; `None` when it does not.
    fn fit(&self, provider: &str, model: &str) -> Option<usize> {
        if self.provider != provider {
            return None;
        }
        match self.model.strip_suffix('*') {
            Some(start) => model.starts_with(start).then_some(start.len()),
            None => (self.model == model).then_some(usize::MAX),
        }
    }
}

impl PriceList {
    /// US dollars for the unit of a meter: the operator's rows first, the most exact of each list first.
    #[must_use]
    pub fn price(&self, provider: &str, model: &str, meter: Meter) -> Option<f64> {
        let best = |rows: &[PriceRow]| {
            let fitting = rows.iter().filter_map(|row| {
                let price = row.prices.iter().find(|(m, _)| *m == meter)?.1;
                Some((row.fit(provider, model)?, price))
            });
            fitting.max_by_key(|(fit, _)| *fit).map(|(_, price)| price)
        };
        best(&self.own).or_else(|| best(&self.built_in))
    }

    /// The same for a model that no row names: the dearest of its family, so that a budget is never blind. `None` where
    /// its provider has no row of that family, as for a model on a server of one's own.
    #[must_use]
    pub fn dearest_of_family(&self, provider: &str, model: &str, meter: Meter) -> Option<f64> {
        let rows = self.own.iter().chain(&self.built_in);
        let kin = rows.filter(|row| row.provider == provider && family(&row.model) == family(model));
        let prices = kin.filter_map(|row| row.prices.iter().find(|(m, _)| *m == meter).map(|(_, usd)| *usd));
        prices.max_by(f64::total_cmp)
    }

    fn charged(&self, provider: &str, model: &str, meter: Meter) -> Option<f64> {
        self.price(provider, model, meter).or_else(|| self.dearest_of_family(provider, model, meter))
    }

    /// The table of a session, for what is used.
    #[must_use]
    pub fn table(&self, used: &[Charged]) -> Prices {
        let mut table = Prices::default();
        for charged in used {
            for meter in charged.meters {
                if let Some(usd) = self.charged(charged.provider, &charged.model, *meter) {
                    table.set(charged.provider, &charged.model, *meter, usd);
                }
            }
        }
        table
    }

    /// What is used and has no price, nor anything of its family: it counts as free.
    #[must_use]
    pub fn missing(&self, used: &[Charged]) -> Vec<String> {
        names(used, |c| c.meters.iter().any(|m| self.charged(c.provider, &c.model, *m).is_none()))
    }

    /// What is used and has no row of its own: it is charged as the dearest of its family.
    #[must_use]
    pub fn guessed(&self, used: &[Charged]) -> Vec<String> {
        names(used, |c| {
            let guessed = |m: &Meter| self.price(c.provider, &c.model, *m).is_none();
            c.meters.iter().any(guessed)
                && c.meters.iter().all(|m| self.charged(c.provider, &c.model, *m).is_some())
        })
    }
}

fn names(used: &[Charged], these: impl Fn(&Charged) -> bool) -> Vec<String> {
    let names: BTreeSet<String> =
        used.iter().filter(|c| these(c)).map(|c| format!("{} {}", c.provider, c.model)).collect();
    names.into_iter().collect()
}

/// The letters that a model's name begins with: `claude`, `gpt`, `nova`.
fn family(model: &str) -> &str {
    model.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default()
}

pub(super) fn read(s: &mut Source<'_>) -> PriceList {
    let table: Table = BUILT_IN.parse().unwrap_or_default();
    let effective = table.get("effective").and_then(Value::as_str).unwrap_or("unknown").to_owned();
    let rows = table.get("prices").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let built_in = rows.iter().filter_map(|row| read_row(row.as_table()?).ok()).collect();
    let mut own = Vec::new();
    if let Some((tables, origin)) = s.tables("prices") {
        for (number, table) in (1..).zip(&tables) {
            match read_row(table) {
                Ok(row) => own.push(row),
                Err(fault) => fault.tell(s, &origin, number),
            }
        }
    }
    PriceList { effective, own, built_in }
}

/// What is wrong with a row, and the remedy.
struct Fault(String, String);

impl Fault {
    fn tell(self, s: &mut Source<'_>, origin: &Origin, number: usize) {
        s.problem(format!("{origin} row {number}"), self.0, self.1);
    }
}

fn read_row(table: &Table) -> Result<PriceRow, Fault> {
    let text = |name: &str| {
        let given = table.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        given.map(str::to_owned).ok_or_else(|| {
            Fault(
                format!("has no {name}"),
                format!("add {name} = \"…\", for example provider = \"deepgram\""),
            )
        })
    };
    let (provider, model) = (text("provider")?, text("model")?);
    let mut prices = Vec::new();
    for (name, value) in table.iter().filter(|(name, _)| *name != "provider" && *name != "model") {
        let Some((_, meter)) = METERS.iter().find(|(known, _)| known == name) else {
            let known: Vec<_> = METERS.iter().map(|(name, _)| *name).collect();
            return Err(Fault(format!("`{name}` is no price"), format!("choose from {}", known.join(", "))));
        };
        let usd = value.as_float().or_else(|| value.as_integer().map(|n| n as f64));
        match usd.filter(|usd| usd.is_finite() && *usd >= 0.0) {
            Some(usd) => prices.push((*meter, usd)),
            None => {
                return Err(Fault(
                    format!("`{name}` is not an amount"),
                    "give US dollars: 0.0077".to_owned(),
                ));
            }
        }
    }
    if prices.is_empty() {
        return Err(Fault(
            "has no price".to_owned(),
            "add one, for example audio_per_minute = 0.0077".to_owned(),
        ));
    }
    Ok(PriceRow { provider, model, prices })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(own: &str) -> (PriceList, Vec<super::super::Problem>) {
        let mut source = Source::new(own.parse().unwrap(), "t.toml".to_owned(), &|_| None);
        let list = read(&mut source);
        (list, source.finish())
    }

    #[test]
    fn every_built_in_row_is_read() {
        let rows = BUILT_IN.matches("\n[[prices]]").count();
        let (list, _) = list("");
        assert_eq!(list.built_in.len(), rows);
        assert_eq!(list.effective.len(), "2026-11-01".len());
    }

    #[test]
    fn an_unknown_model_costs_as_the_dearest_of_its_family() {
        let (list, _) = list("");
        let used = |model: &str| {
            [Charged { provider: "anthropic", model: model.to_owned(), meters: &[Meter::OutputTokens] }]
        };
        let unknown = used("claude-of-tomorrow");
        assert_eq!(
            list.table(&unknown).of("anthropic", "claude-of-tomorrow", Meter::OutputTokens),
            Some(15.0)
        );
        assert_eq!((list.guessed(&unknown).len(), list.missing(&unknown).len()), (1, 0));
        let known = used("claude-haiku-4-5");
        assert_eq!((list.guessed(&known).len(), list.missing(&known).len()), (0, 0));
        let foreign = used("qwen3");
        assert_eq!((list.guessed(&foreign).len(), list.missing(&foreign).len()), (0, 1));
    }

    #[test]
    fn the_most_exact_row_wins_and_the_operators_rows_come_first() {
        let (built_in, _) = list("");
        let price = |list: &PriceList, model| list.price("anthropic", model, Meter::OutputTokens);
        assert_eq!(price(&built_in, "claude-haiku-4-5-20251001"), Some(5.0));
        assert_eq!(price(&built_in, "claude-of-tomorrow"), None);
        let own = "[[prices]]\nprovider = \"anthropic\"\nmodel = \"*\"\noutput_tokens_per_million = 7\n";
        let (own, problems) = list(own);
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(price(&own, "claude-of-tomorrow"), Some(7.0));
        assert_eq!(price(&own, "claude-haiku-4-5"), Some(7.0), "own rows first");
        assert_eq!(
            own.price("anthropic", "claude-haiku-4-5", Meter::InputTokens),
            Some(1.0),
            "rest from ours"
        );
    }

    #[test]
    fn a_session_is_told_prices_under_the_names_that_usage_comes_with() {
        let (list, _) = list("");
        let used = [
            Charged { provider: "deepgram", model: "nova-3-general".into(), meters: &[Meter::AudioMs] },
            Charged { provider: "openai", model: "qwen".into(), meters: &[Meter::OutputTokens] },
        ];
        assert_eq!(list.table(&used).of("deepgram", "nova-3-general", Meter::AudioMs), Some(0.0077));
        assert_eq!(list.missing(&used), ["openai qwen"]);
    }

    #[test]
    fn a_broken_row_is_named_with_its_number_and_remedy() {
        let text = "[[prices]]\nprovider = \"a\"\nmodel = \"b\"\naudio_per_minute = 1.0\n\
                    [[prices]]\nprovider = \"a\"\nmodel = \"b\"\naudio_per_hour = 1.0\n\
                    [[prices]]\nprovider = \"a\"\nmodel = \"b\"\naudio_per_minute = -1.0\n\
                    [[prices]]\nmodel = \"b\"\n";
        let (_, problems) = list(text);
        let shown: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(shown.len(), 3, "{shown:?}");
        assert!(shown[0].contains("row 2") && shown[0].contains("audio_per_minute"), "{}", shown[0]);
        assert!(shown[1].contains("row 3") && shown[2].contains("has no provider"), "{shown:?}");
    }
}
