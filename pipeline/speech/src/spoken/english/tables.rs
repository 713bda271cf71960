//! What written English abbreviates.

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

/// Words after which "no" is an answer and not a number. Lower case.
pub(super) const ANSWERS: [&str; 14] = [
    "or", "say", "says", "said", "saying", "answer", "answered", "is", "was", "press", "for", "yes", "with",
    "a",
];
/// Words after which a day of the week comes. Lower case.
pub(super) const DAY_COMES_AFTER: [&str; 14] = [
    "on", "every", "each", "next", "last", "this", "by", "until", "through", "to", "and", "from", "since",
    "closed",
];
/// Words after which a month comes. Lower case.
pub(super) const MONTH_COMES_AFTER: [&str; 15] = [
    "in", "since", "until", "from", "through", "every", "each", "next", "last", "this", "early", "late",
    "mid", "before", "after",
];
/// Words that may follow a measure in inches.
pub(super) const MEASURED: [&str; 13] =
    ["x", "by", "wide", "long", "tall", "high", "deep", "thick", "across", "or", "and", "of", "apart"];

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

/// Full and short names.
pub(super) const DAYS: [(&str, &[&str]); 7] = [
    ("Monday", &["Mon"]),
    ("Tuesday", &["Tue", "Tues"]),
    ("Wednesday", &["Wed"]),
    ("Thursday", &["Thu", "Thur", "Thurs"]),
    ("Friday", &["Fri"]),
    ("Saturday", &["Sat"]),
    ("Sunday", &["Sun"]),
];

/// Words after which a number names a thing. Lower case.
pub(super) const IDENTIFIERS: [&str; 22] = [
    "number",
    "numbers",
    "code",
    "pin",
    "extension",
    "ext",
    "ticket",
    "reference",
    "case",
    "docket",
    "account",
    "claim",
    "invoice",
    "permit",
    "license",
    "room",
    "no",
    "id",
    "zip",
    "parcel",
    "badge",
    "confirmation",
];
