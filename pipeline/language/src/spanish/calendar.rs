//! Spanish words of the calendar.

use crate::ear::CalendarWord;

/// Words of the calendar.
pub static CALENDAR: [(CalendarWord, &[&str]); 3] = [
    (
        CalendarWord::Weekday,
        &["lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo", "hoy", "ayer"],
    ),
    (
        CalendarWord::Month,
        &[
            "enero",
            "febrero",
            "marzo",
            "abril",
            "mayo",
            "junio",
            "julio",
            "agosto",
            "septiembre",
            "octubre",
            "noviembre",
            "diciembre",
        ],
    ),
    (CalendarWord::Part, &["manana", "tarde", "noche"]),
];
