//! Written words taken apart, and the tables of what they abbreviate.

/// A word as written: its core, and the marks after it.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// Everything between two spaces.
    pub whole: String,
    /// Without quotes, brackets and marks around it. A point inside (`a.m`) stays.
    pub core: String,
    /// Marks after the core.
    pub trail: String,
}

impl Written {
    /// The mark to speak on from: commas and sentence ends. An abbreviation's point is none unless it also ends
    /// the text.
    pub fn mark(&self, last: bool) -> &'static str {
        let has = |marks: &str| self.trail.chars().any(|c| marks.contains(c));
        let abbreviation = ABBREVIATIONS.iter().any(|(short, ..)| *short == self.core)
            || UNITS.iter().any(|(short, ..)| *short == self.core)
            || ["St", "Dr"].contains(&self.core.as_str())
            || self.core.contains('.')
            || self.core.len() == 1;
        if has("?") {
            "?"
        } else if has("!") {
            "!"
        } else if has(",;:()…—–") {
            ","
        } else if has(".") && (last || !abbreviation) {
            "."
        } else {
            ""
        }
    }
}

/// Splits text at spaces. Dashes between words become pauses.
pub(super) fn words(text: &str) -> Vec<Written> {
    let text =
        text.replace(['—', '―'], " — ").replace("--", " — ").replace(['“', '”', '"', '[', ']', '*'], " ");
    let mut out: Vec<Written> = Vec::new();
    for whole in text.split_whitespace() {
        let core = whole.trim_start_matches(['(', '\'', '‘', '¿', '¡']);
        let core = core.trim_end_matches(|c: char| ".,;:!?)…'’".contains(c));
        match out.last_mut() {
            Some(before) if core.is_empty() || matches!(core, "—" | "–" | "-") => {
                before.trail.push_str(if core.is_empty() { whole } else { "," });
                before.whole.push(' ');
                before.whole.push_str(whole);
            }
            _ => out.push(Written {
                whole: whole.to_owned(),
                core: core.to_owned(),
                trail: after(whole, core).to_owned(),
            }),
        }
    }
    out
}

fn after<'a>(whole: &'a str, core: &str) -> &'a str {
    whole.find(core).map_or("", |i| &whole[i + core.len()..])
}

pub(super) fn compass(short: &str) -> &'static str {
    match short {
        "N" => "North",
        "S" => "South",
        "E" => "East",
        "W" => "West",
        "NE" => "Northeast",
        "NW" => "Northwest",
        "SE" => "Southeast",
        _ => "Southwest",
    }
}

/// Full and short names.
pub(super) const MONTHS: [(&str, &str); 12] = [
    ("January", "Jan"),
    ("February", "Feb"),
    ("March", "Mar"),
    ("April", "Apr"),
    ("May", "May"),
    ("June", "Jun"),
    ("July", "Jul"),
    ("August", "Aug"),
    ("September", "Sept"),
    ("October", "Oct"),
    ("November", "Nov"),
    ("December", "Dec"),
];

/// Words that end a street's name, written out or short (without point).
pub(super) const STREETS: [&str; 26] = [
    "Street",
    "St",
    "Avenue",
    "Ave",
    "Road",
    "Rd",
    "Drive",
    "Dr",
    "Lane",
    "Ln",
    "Boulevard",
    "Blvd",
    "Court",
    "Ct",
    "Place",
    "Pl",
    "Way",
    "Highway",
    "Hwy",
    "Parkway",
    "Pkwy",
    "Circle",
    "Cir",
    "Terrace",
    "Square",
    "Trail",
];

/// Short form, what is said, and whether only with a point after it.
pub(super) const ABBREVIATIONS: [(&str, &str, bool); 62] = [
    ("Dept", "Department", false),
    ("Ave", "Avenue", false),
    ("Rd", "Road", false),
    ("Ln", "Lane", false),
    ("Blvd", "Boulevard", false),
    ("Ct", "Court", false),
    ("Pl", "Place", true),
    ("Hwy", "Highway", false),
    ("Pkwy", "Parkway", false),
    ("Cir", "Circle", true),
    ("Apt", "apartment", false),
    ("Ste", "suite", false),
    ("Bldg", "building", false),
    ("Rm", "room", true),
    ("Fl", "floor", true),
    ("Mr", "Mister", false),
    ("Mrs", "Missus", false),
    ("Ms", "Miz", false),
    ("Jr", "Junior", false),
    ("Sr", "Senior", false),
    ("Prof", "Professor", true),
    ("Rev", "Reverend", true),
    ("Gov", "Governor", true),
    ("Sgt", "Sergeant", true),
    ("Lt", "Lieutenant", true),
    ("Capt", "Captain", true),
    ("Co", "County", true),
    ("Inc", "Incorporated", true),
    ("Ltd", "Limited", true),
    ("Corp", "Corporation", true),
    ("Assn", "Association", true),
    ("Govt", "government", false),
    ("No", "number", true),
    ("no", "number", true),
    ("ext", "extension", false),
    ("Ext", "extension", false),
    ("vs", "versus", false),
    ("etc", "et cetera", false),
    ("e.g", "for example", false),
    ("i.e", "that is", false),
    ("approx", "approximately", false),
    ("appt", "appointment", false),
    ("info", "info", false),
    ("Jan", "January", true),
    ("Feb", "February", true),
    ("Aug", "August", true),
    ("Sept", "September", true),
    ("Oct", "October", true),
    ("Nov", "November", true),
    ("Dec", "December", true),
    ("Mon", "Monday", true),
    ("Tue", "Tuesday", true),
    ("Tues", "Tuesday", true),
    ("Wed", "Wednesday", true),
    ("Thu", "Thursday", true),
    ("Thurs", "Thursday", true),
    ("Fri", "Friday", true),
    ("Sat", "Saturday", true),
    ("Sun", "Sunday", true),
    ("w/o", "without", false),
    ("w/", "with", false),
    ("Ft", "Fort", true),
];

/// Short form (without point), one of them, several of them.
pub(super) const UNITS: [(&str, &str, &str); 27] = [
    ("mi", "mile", "miles"),
    ("ft", "foot", "feet"),
    ("in", "inch", "inches"),
    ("yd", "yard", "yards"),
    ("yds", "yard", "yards"),
    ("km", "kilometer", "kilometers"),
    ("m", "meter", "meters"),
    ("cm", "centimeter", "centimeters"),
    ("mm", "millimeter", "millimeters"),
    ("lb", "pound", "pounds"),
    ("lbs", "pound", "pounds"),
    ("oz", "ounce", "ounces"),
    ("kg", "kilogram", "kilograms"),
    ("g", "gram", "grams"),
    ("gal", "gallon", "gallons"),
    ("mph", "mile per hour", "miles per hour"),
    ("hr", "hour", "hours"),
    ("hrs", "hour", "hours"),
    ("min", "minute", "minutes"),
    ("mins", "minute", "minutes"),
    ("sec", "second", "seconds"),
    ("°", "degree", "degrees"),
    ("°F", "degree Fahrenheit", "degrees Fahrenheit"),
    ("°C", "degree Celsius", "degrees Celsius"),
    ("kWh", "kilowatt hour", "kilowatt hours"),
    ("MB", "megabyte", "megabytes"),
    ("sqft", "square foot", "square feet"),
];
