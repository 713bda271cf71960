//! English words of the calendar.

use crate::ear::CalendarWord;

/// Words of the calendar.
pub static CALENDAR: [(CalendarWord, &[&str]); 3] = [
    (
        CalendarWord::Weekday,
        &[
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
            "mondays",
            "tuesdays",
            "wednesdays",
            "thursdays",
            "fridays",
            "saturdays",
            "sundays",
            "today",
            "tomorrow",
            "yesterday",
        ],
    ),
    (
        CalendarWord::Month,
        &[
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ],
    ),
    (CalendarWord::Part, &["morning", "afternoon", "evening", "night"]),
];
