//! What written Spanish abbreviates, and which words are feminine.

use super::numbers::Agrees;

pub(super) const MONTHS: [(&str, &[&str]); 12] = [
    ("enero", &["ene"]),
    ("febrero", &["feb"]),
    ("marzo", &["mar"]),
    ("abril", &["abr"]),
    ("mayo", &["may"]),
    ("junio", &["jun"]),
    ("julio", &["jul"]),
    ("agosto", &["ago"]),
    ("septiembre", &["sept", "sep", "set"]),
    ("octubre", &["oct"]),
    ("noviembre", &["nov"]),
    ("diciembre", &["dic"]),
];

pub(super) const DAYS: [(&str, &str); 7] = [
    ("lunes", "lun"),
    ("martes", "mar"),
    ("miércoles", "mié"),
    ("jueves", "jue"),
    ("viernes", "vie"),
    ("sábado", "sáb"),
    ("domingo", "dom"),
];

/// Words that a street's name begins with, written out or short (lower case, without point).
pub(super) const STREETS_BEFORE: [&str; 18] = [
    "calle",
    "c",
    "avenida",
    "av",
    "avda",
    "ave",
    "bulevar",
    "blvd",
    "carretera",
    "carr",
    "camino",
    "paseo",
    "plaza",
    "callejón",
    "calzada",
    "calz",
    "ruta",
    "vía",
];

/// English words that a street's name ends with, as county addresses have them (without point).
pub(super) const STREETS_AFTER: [(&str, &str); 22] = [
    ("St", "Street"),
    ("Street", "Street"),
    ("Ave", "Avenue"),
    ("Avenue", "Avenue"),
    ("Rd", "Road"),
    ("Road", "Road"),
    ("Dr", "Drive"),
    ("Drive", "Drive"),
    ("Ln", "Lane"),
    ("Lane", "Lane"),
    ("Blvd", "Boulevard"),
    ("Boulevard", "Boulevard"),
    ("Ct", "Court"),
    ("Court", "Court"),
    ("Hwy", "Highway"),
    ("Highway", "Highway"),
    ("Pkwy", "Parkway"),
    ("Parkway", "Parkway"),
    ("Square", "Square"),
    ("Pl", "Place"),
    ("Way", "Way"),
    ("Trail", "Trail"),
];

/// Words after which "no" is an answer and not a number. Lower case.
pub(super) const ANSWERS: [&str; 10] =
    ["o", "diga", "decir", "dice", "responda", "que", "sí", "es", "un", "con"];

/// Short form (lower case, without point), what is said, and whether only with a point after it.
pub(super) const ABBREVIATIONS: [(&str, &str, bool); 66] = [
    ("sr", "señor", true),
    ("sra", "señora", false),
    ("srta", "señorita", false),
    ("sres", "señores", false),
    ("dr", "doctor", true),
    ("dra", "doctora", false),
    ("lic", "licenciado", true),
    ("lcda", "licenciada", false),
    ("ing", "ingeniero", true),
    ("arq", "arquitecto", true),
    ("prof", "profesor", true),
    ("profa", "profesora", false),
    ("gob", "gobernador", true),
    ("sgto", "sargento", false),
    ("av", "avenida", false),
    ("avda", "avenida", false),
    ("blvd", "bulevar", false),
    ("carr", "carretera", true),
    ("calz", "calzada", true),
    ("col", "colonia", true),
    ("dpto", "departamento", false),
    ("depto", "departamento", false),
    ("dept", "departamento", false),
    ("apto", "apartamento", false),
    ("apt", "apartamento", false),
    ("ofic", "oficina", true),
    ("edif", "edificio", true),
    ("esq", "esquina", true),
    ("ste", "oficina", true),
    ("núm", "número", false),
    ("num", "número", true),
    ("nro", "número", false),
    ("no", "número", true),
    ("nº", "número", false),
    ("n.º", "número", false),
    ("pág", "página", false),
    ("págs", "páginas", false),
    ("tel", "teléfono", true),
    ("teléf", "teléfono", false),
    ("cel", "celular", true),
    ("ext", "extensión", false),
    ("ud", "usted", false),
    ("uds", "ustedes", false),
    ("vd", "usted", true),
    ("etc", "etcétera", false),
    ("aprox", "aproximadamente", false),
    ("máx", "máximo", false),
    ("mín", "mínimo", true),
    ("cía", "compañía", false),
    ("sto", "Santo", true),
    ("sta", "Santa", true),
    ("art", "artículo", true),
    ("cap", "capítulo", true),
    ("c/u", "cada uno", false),
    ("c/", "calle", false),
    ("p/", "para", false),
    ("s/n", "sin número", false),
    ("cp", "código postal", true),
    ("admin", "administración", true),
    ("gral", "general", false),
    ("info", "información", true),
    ("hnos", "hermanos", false),
    ("fdo", "firmado", true),
    ("atte", "atentamente", false),
    ("vs", "contra", false),
    ("ee", "Estados", true),
];

/// Short form (without point), one of them, several of them, gender.
pub(super) const UNITS: [(&str, &str, &str, Agrees); 32] = [
    ("km/h", "kilómetro por hora", "kilómetros por hora", Agrees::Masculine),
    ("mph", "milla por hora", "millas por hora", Agrees::Feminine),
    ("mi", "milla", "millas", Agrees::Feminine),
    ("ft", "pie", "pies", Agrees::Masculine),
    ("pulg", "pulgada", "pulgadas", Agrees::Feminine),
    ("yd", "yarda", "yardas", Agrees::Feminine),
    ("km", "kilómetro", "kilómetros", Agrees::Masculine),
    ("m", "metro", "metros", Agrees::Masculine),
    ("cm", "centímetro", "centímetros", Agrees::Masculine),
    ("mm", "milímetro", "milímetros", Agrees::Masculine),
    ("lb", "libra", "libras", Agrees::Feminine),
    ("lbs", "libra", "libras", Agrees::Feminine),
    ("oz", "onza", "onzas", Agrees::Feminine),
    ("kg", "kilogramo", "kilogramos", Agrees::Masculine),
    ("g", "gramo", "gramos", Agrees::Masculine),
    ("mg", "miligramo", "miligramos", Agrees::Masculine),
    ("gal", "galón", "galones", Agrees::Masculine),
    ("l", "litro", "litros", Agrees::Masculine),
    ("L", "litro", "litros", Agrees::Masculine),
    ("ml", "mililitro", "mililitros", Agrees::Masculine),
    ("h", "hora", "horas", Agrees::Feminine),
    ("hr", "hora", "horas", Agrees::Feminine),
    ("hrs", "hora", "horas", Agrees::Feminine),
    ("min", "minuto", "minutos", Agrees::Masculine),
    ("s", "segundo", "segundos", Agrees::Masculine),
    ("seg", "segundo", "segundos", Agrees::Masculine),
    ("°", "grado", "grados", Agrees::Masculine),
    ("°F", "grado Fahrenheit", "grados Fahrenheit", Agrees::Masculine),
    ("°C", "grado Celsius", "grados Celsius", Agrees::Masculine),
    ("kWh", "kilovatio hora", "kilovatios hora", Agrees::Masculine),
    ("MB", "megabyte", "megabytes", Agrees::Masculine),
    ("GB", "gigabyte", "gigabytes", Agrees::Masculine),
];

/// Words after which a number names a thing. Lower case, without point.
pub(super) const IDENTIFIERS: [&str; 40] = [
    "número",
    "numero",
    "núm",
    "no",
    "nro",
    "código",
    "codigo",
    "pin",
    "clave",
    "extensión",
    "extension",
    "ext",
    "boleto",
    "multa",
    "referencia",
    "caso",
    "expediente",
    "cuenta",
    "reclamo",
    "reclamación",
    "factura",
    "permiso",
    "licencia",
    "sala",
    "oficina",
    "cuarto",
    "habitación",
    "apartamento",
    "postal",
    "zip",
    "parcela",
    "confirmación",
    "placa",
    "tarjeta",
    "folio",
    "queja",
    "reporte",
    "informe",
    "cita",
    "identificación",
];

/// After a number these are no noun that it counts.
pub(super) const NO_NOUNS: [&str; 42] = [
    "de", "del", "a", "al", "y", "o", "u", "e", "en", "por", "para", "con", "sin", "que", "es", "son",
    "está", "si", "no", "se", "le", "la", "lo", "los", "las", "su", "más", "menos", "hasta", "desde",
    "entre", "cada", "como", "cuando", "antes", "después", "pero", "porque", "ni", "va", "tiene", "sobre",
];

/// Gender of a noun, by its ending where it is no exception.
pub(super) fn gender(noun: &str) -> Agrees {
    const MASCULINE: [&str; 22] = [
        "día",
        "días",
        "problema",
        "problemas",
        "programa",
        "programas",
        "sistema",
        "sistemas",
        "idioma",
        "idiomas",
        "mapa",
        "mapas",
        "tema",
        "temas",
        "trámite",
        "clima",
        "planeta",
        "agua",
        "área",
        "arma",
        "águila",
        "hacha",
    ];
    const FEMININE: [&str; 14] = [
        "calle", "calles", "noche", "noches", "tarde", "tardes", "mano", "manos", "clase", "clases", "vez",
        "veces", "llave", "llaves",
    ];
    const ENDINGS: [&str; 12] =
        ["a", "as", "ción", "ciones", "sión", "siones", "dad", "dades", "tad", "tud", "triz", "umbre"];
    let lower = noun.to_lowercase();
    let bare = lower.as_str();
    if MASCULINE.contains(&bare) {
        return Agrees::Masculine;
    }
    if FEMININE.contains(&bare) || ENDINGS.iter().any(|end| bare.ends_with(end)) {
        return Agrees::Feminine;
    }
    Agrees::Masculine
}

/// A letter's name.
pub(super) fn letter(c: char) -> &'static str {
    match c.to_ascii_uppercase() {
        'A' => "a",
        'B' => "be",
        'C' => "ce",
        'D' => "de",
        'E' => "e",
        'F' => "efe",
        'G' => "ge",
        'H' => "hache",
        'I' => "i",
        'J' => "jota",
        'K' => "ka",
        'L' => "ele",
        'M' => "eme",
        'N' => "ene",
        'O' => "o",
        'P' => "pe",
        'Q' => "cu",
        'R' => "erre",
        'S' => "ese",
        'T' => "te",
        'U' => "u",
        'V' => "ve",
        'W' => "doble u",
        'X' => "equis",
        'Y' => "ye",
        'Z' => "zeta",
        'Ñ' | 'ñ' => "eñe",
        _ => "",
    }
}
