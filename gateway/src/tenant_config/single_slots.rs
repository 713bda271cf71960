//! Single times that callers may book, beside the plans: in the document, or from a table (CSV).

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use dialogue::builtin::week::minutes;
use serde::{Deserialize, Serialize};
use storage::TenantId;
use storage::records::Slot;

use super::appointments::id;
use super::read::{Fault, MOST_FAULTS};

/// Setting under which a tenant's single times are kept.
pub const SETTING: &str = "slots";
/// Lines of a document, or of a table.
pub const MOST: usize = 2_000;
/// Columns of a table; the first two are needed.
pub const COLUMNS: [&str; 6] = ["date", "time", "label", "office", "minutes", "count"];

/// A time on one day.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SingleSlot {
    /// ISO date.
    pub date: String,
    /// When it begins, `9:00`, by the tenant's clock.
    pub time: String,
    /// Which kind, or whose calendar.
    pub label: String,
    /// Where, if there are several places.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub office: String,
    pub minutes: u32,
    /// How many may book it.
    pub count: u32,
}

impl Default for SingleSlot {
    fn default() -> Self {
        Self {
            date: String::new(),
            time: String::new(),
            label: "safety inspection".to_owned(),
            office: String::new(),
            minutes: 60,
            count: 1,
        }
    }
}

impl SingleSlot {
    /// As it is kept: what for, and where.
    #[must_use]
    pub fn title(&self) -> String {
        if self.office.is_empty() { self.label.clone() } else { format!("{}, {}", self.label, self.office) }
    }
}

/// Times that are still to come.
#[must_use]
pub fn slots(tenant: TenantId, singles: &[SingleSlot], zone: Tz, now: DateTime<Utc>) -> Vec<Slot> {
    let mut slots = Vec::new();
    for single in singles {
        let (Ok(date), Some(at)) = (single.date.parse::<NaiveDate>(), minutes(&single.time)) else {
            continue;
        };
        let local = date.and_time(NaiveTime::MIN) + TimeDelta::minutes(i64::from(at));
        // A time that the clock skips is no time.
        let Some(starts_at) = zone.from_local_datetime(&local).earliest() else { continue };
        let starts_at = starts_at.with_timezone(&Utc);
        let (label, length) = (single.title(), TimeDelta::minutes(i64::from(single.minutes)));
        for n in (0..single.count).take_while(|_| starts_at > now) {
            // Beside a plan's time of the same kind, not in its place.
            let id = id(tenant, &format!("{label}\nsingle {n}"), starts_at);
            slots.push(Slot { id, starts_at, ends_at: starts_at + length, label: label.clone() });
        }
    }
    slots
}

/// What is wrong with them, by their place in the document.
#[must_use]
pub fn check(singles: &[SingleSlot]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    if singles.len() > MOST {
        faults.push(Fault::new("slot", format!("holds {} times; {MOST} at most", singles.len())));
    }
    for (n, single) in singles.iter().enumerate().take(MOST) {
        let mut add =
            |name: &str, message: String| faults.push(Fault::new(format!("slot[{}].{name}", n + 1), message));
        if single.date.parse::<NaiveDate>().is_err() {
            add("date", format!("is no date such as 2027-03-01: \"{}\"", single.date));
        }
        if minutes(&single.time).is_none_or(|at| at >= 24 * 60) {
            add("time", format!("is no time of day such as 9:00: \"{}\"", single.time));
        }
        if single.label.trim().is_empty() {
            add("label", "is empty".to_owned());
        }
        for (name, text) in [("label", &single.label), ("office", &single.office)] {
            if text.chars().count() > 200 || text.chars().any(char::is_control) {
                add(name, "is longer than 200 characters, or holds a control character".to_owned());
            }
        }
        if !(5..=480).contains(&single.minutes) {
            add("minutes", "is not from 5 to 480".to_owned());
        }
        if !(1..=50).contains(&single.count) {
            add("count", "is not from 1 to 50".to_owned());
        }
        if !seen.insert((&single.date, minutes(&single.time), single.title())) {
            add("time", "is there twice: say how many may book it in count".to_owned());
        }
    }
    faults.truncate(MOST_FAULTS);
    faults
}

/// How many there are of all.
#[must_use]
pub fn many(singles: &[SingleSlot]) -> usize {
    singles.iter().map(|single| single.count as usize).sum()
}

/// Times of a table and the line of each, and what of the table cannot be read.
#[derive(Debug, Default)]
pub struct Table {
    pub singles: Vec<SingleSlot>,
    /// Of the text, from 1.
    pub lines: Vec<usize>,
    pub faults: Vec<Fault>,
}

impl Table {
    /// Gives faults of times the line of the table that they came from.
    pub fn place(&self, faults: &mut [Fault]) {
        for fault in faults {
            let number = fault
                .key
                .strip_prefix("slot[")
                .and_then(|rest| rest.split(']').next()?.parse::<usize>().ok());
            fault.line = number.and_then(|n| self.lines.get(n.checked_sub(1)?).copied()).or(fault.line);
        }
    }
}

/// Reads a table. The first row names the columns; commas or semicolons between the cells.
#[must_use]
pub fn table(text: &str) -> Table {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_semicolon = text.lines().next().is_some_and(|first| first.contains(';'));
    let mut table = Table::default();
    let delimiter = if is_semicolon { b';' } else { b',' };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut fault = |line: usize, key: &str, message: String| {
        if table.faults.len() < MOST_FAULTS {
            table.faults.push(Fault { key: key.to_owned(), line: Some(line), message });
        }
    };
    let columns: Vec<String> = match reader.headers() {
        Ok(head) => head.iter().map(|name| name.to_lowercase().replace(' ', "_")).collect(),
        Err(error) => {
            fault(1, "", format!("is no table: {error}"));
            return table;
        }
    };
    for (n, name) in columns.iter().enumerate() {
        if !COLUMNS.contains(&name.as_str()) {
            fault(1, name, format!("is no column; there are {}", COLUMNS.join(", ")));
        } else if columns[..n].contains(name) {
            fault(1, name, "is there twice".to_owned());
        }
    }
    for needed in &COLUMNS[..2] {
        if !columns.iter().any(|name| name == needed) {
            fault(1, needed, "is missing: the first row names the columns".to_owned());
        }
    }
    if !table.faults.is_empty() {
        return table;
    }
    for row in reader.records() {
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                let line = error.position().map_or(1, csv::Position::line);
                table.faults.push(at(line, "", format!("cannot be read: {error}")));
                break;
            }
        };
        let line = row.position().map_or(1, csv::Position::line);
        if table.singles.len() == MOST {
            table.faults.push(at(line, "", format!("is one line more than {MOST}")));
            break;
        }
        if row.len() != columns.len() {
            table.faults.push(at(
                line,
                "",
                format!("has {} cells; there are {} columns", row.len(), columns.len()),
            ));
            continue;
        }
        table.take(&columns, &row, line);
    }
    table.faults.truncate(MOST_FAULTS);
    if table.faults.is_empty() && table.singles.is_empty() {
        table.faults.push(at(1, "", "there is no time in it".to_owned()));
    }
    table
}

impl Table {
    fn take(&mut self, columns: &[String], row: &csv::StringRecord, line: u64) {
        let mut single = SingleSlot::default();
        for (name, cell) in columns.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            let text = cell.to_owned();
            match name.as_str() {
                "date" => single.date = text,
                "time" => single.time = text,
                "label" => single.label = text,
                "office" => single.office = text,
                number => match text.parse() {
                    Ok(value) if number == "minutes" => single.minutes = value,
                    Ok(value) => single.count = value,
                    Err(_) => self.faults.push(at(line, number, format!("is no number: \"{text}\""))),
                },
            }
        }
        self.singles.push(single);
        self.lines.push(usize::try_from(line).unwrap_or(usize::MAX));
    }
}

fn at(line: u64, key: &str, message: String) -> Fault {
    Fault { key: key.to_owned(), line: usize::try_from(line).ok(), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_and_every_fault_has_its_line() {
        let read = table("Date,Time,Label,Count\n2027-03-01,9:00,permit review,2\n2027-03-01,\"10:30\",,\n");
        assert_eq!(read.faults, []);
        assert_eq!(
            (read.singles[0].label.as_str(), read.singles[0].count, read.lines[1]),
            ("permit review", 2, 3)
        );
        assert_eq!(
            read.singles[1],
            SingleSlot { date: "2027-03-01".into(), time: "10:30".into(), ..SingleSlot::default() }
        );
        let wrong = table("date;time;count\n2027-03-01;9:00;two\n2027-02-30;9:00;1\n2027-03-01;9:00\n");
        let told: Vec<_> = wrong.faults.iter().map(|fault| (fault.line, fault.key.as_str())).collect();
        assert_eq!(told, [(Some(2), "count"), (Some(4), "")]);
        let mut faults = check(&wrong.singles);
        wrong.place(&mut faults);
        assert_eq!((faults[0].line, faults[0].key.as_str()), (Some(3), "slot[2].date"), "{faults:?}");
        assert_eq!(
            table("day,time\n").faults.iter().map(|fault| fault.key.as_str()).collect::<Vec<_>>(),
            ["day", "date"]
        );
        assert_eq!(table("date,time\n").faults.len(), 1);
    }

    #[test]
    fn a_single_time_is_made_by_the_tenants_clock_as_often_as_it_may_be_booked() {
        let now = Utc.with_ymd_and_hms(2026, 11, 27, 12, 0, 0).unwrap();
        let zone: Tz = "America/New_York".parse().unwrap();
        let single = SingleSlot {
            date: "2026-12-01".into(),
            time: "9:00".into(),
            office: "Annex".into(),
            count: 2,
            ..SingleSlot::default()
        };
        let past = SingleSlot { date: "2026-11-01".into(), ..single.clone() };
        let tenant = TenantId::new();
        let made = slots(tenant, &[single.clone(), past], zone, now);
        assert_eq!((made.len(), made[0].starts_at.to_rfc3339().as_str()), (2, "2026-12-01T14:00:00+00:00"));
        assert_eq!(made[0].label, "safety inspection, Annex");
        assert_ne!(made[0].id, made[1].id);
        assert_eq!(made, slots(tenant, &[single], zone, now));
    }

    #[test]
    fn what_cannot_be_is_told_by_its_place() {
        let single = SingleSlot { date: "2027-03-01".into(), time: "9:00".into(), ..SingleSlot::default() };
        let twice = [single.clone(), single.clone()];
        assert_eq!(check(&twice)[0].key, "slot[2].time");
        let wrong = SingleSlot { time: "25:00".into(), count: 0, minutes: 1, label: String::new(), ..single };
        let keys: Vec<_> = check(&[wrong]).into_iter().map(|fault| fault.key).collect();
        assert_eq!(keys, ["slot[1].time", "slot[1].label", "slot[1].minutes", "slot[1].count"]);
    }
}
