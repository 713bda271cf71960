use super::*;

#[test]
fn text_is_spoken_as_people_say_it() {
    let table = [
        // references and identifiers
        ("Your number is INC-4821.", "Your number is I N C, four eight two one."),
        ("Permit A-12-345", "Permit A, one two, three four five"),
        ("Ticket SR20251234 is open", "Ticket S R, two zero two five, one two three four is open"),
        ("Dial extension 204.", "Dial extension two zero four."),
        ("ZIP code 90210", "ZIP code nine zero two one zero"),
        ("Go to window #5", "Go to window number five"),
        ("account 0042", "account zero zero four two"),
        // telephone numbers
        ("Call 555-0199.", "Call five five five, zero one nine nine."),
        ("Call (555) 010-0199, please.", "Call five five five, zero one zero, zero one nine nine, please."),
        ("1-800-555-0199", "one, eight zero zero, five five five, zero one nine nine"),
        ("+15550100199", "one, five five five, zero one zero, zero one nine nine"),
        ("Hang up and call 911!", "Hang up and call nine one one!"),
        ("Dial 988 or 311.", "Dial nine eight eight or three one one."),
        // money
        ("It costs $5.", "It costs five dollars."),
        ("$1,250.75", "one thousand two hundred fifty dollars and seventy five cents"),
        ("$1.00 or $0.50", "one dollar or fifty cents"),
        ("$2.5 million", "two point five million dollars"),
        // times
        ("Open at 9:30 a.m. daily", "Open at nine thirty A M daily"),
        ("from 8 a.m. to 5 p.m.", "from eight A M to five P M."),
        ("at 9am", "at nine A M"),
        ("at 9:05", "at nine oh five"),
        ("8:00-4:30", "eight to four thirty"),
        ("8am-5pm", "eight A M to five P M"),
        ("17:00", "seventeen hundred"),
        // dates and years
        ("March 3, 2026", "March third, twenty twenty six"),
        ("on March 3rd.", "on March third."),
        ("Mar. 14", "March fourteenth"),
        ("3/14/2026", "March fourteenth, twenty twenty six"),
        ("2026-03-14", "March fourteenth, twenty twenty six"),
        ("May 2025", "May twenty twenty five"),
        ("in 1998", "in nineteen ninety eight"),
        ("You may 2 times", "You may two times"),
        // numbers
        ("12,500 people", "twelve thousand five hundred people"),
        ("the 21st", "the twenty first"),
        ("5% or 2.5%", "five percent or two point five percent"),
        ("3.5 hours", "three point five hours"),
        ("1/2 cup", "one half cup"),
        ("24/7", "twenty four seven"),
        ("10-15 days", "ten to fifteen days"),
        ("2019-2024", "twenty nineteen to twenty twenty four"),
        ("-5 degrees", "minus five degrees"),
        ("5 mi. north, 1 ft deep", "five miles north, one foot deep"),
        ("72°F", "seventy two degrees Fahrenheit"),
        ("30mph", "thirty miles per hour"),
        // addresses and abbreviations
        ("1450 Oak St., Suite 200", "fourteen fifty Oak Street, Suite two hundred"),
        ("305 N. Main St.", "three oh five North Main Street."),
        ("St. Mary's is on Elm St.", "Saint Mary's is on Elm Street."),
        ("Dr. Lee, 12 Hill Dr.", "Doctor Lee, twelve Hill Drive."),
        ("the Public Works Dept. office", "the Public Works Department office"),
        ("Mr. and Mrs. Ames", "Mister and Missus Ames"),
        ("420 5th Ave", "four twenty fifth Avenue"),
        // web and signs
        ("help@county.gov", "help at county dot gov"),
        ("www.county.gov/permits.", "county dot gov slash permits."),
        ("Parks & Recreation", "Parks and Recreation"),
        ("and/or", "and or"),
        ("Yes — right away", "Yes, right away"),
        ("\"Open\" (today)", "Open today,"),
    ];
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(written, said)| {
            let ours = spoken_text(&speakable(written));
            (ours != *said).then(|| format!("{written:?}: {ours:?} instead of {said:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn written_words_are_kept_in_order() {
    for text in ["Your number is INC-4821, at 9:30 a.m. on March 3, 2026.", "Call (555) 010-0199 - now"] {
        let written: Vec<String> =
            speakable(text).into_iter().map(|w| w.written).filter(|w| !w.is_empty()).collect();
        assert_eq!(written.join(" "), text);
    }
}

#[test]
fn nothing_gives_nothing_and_any_text_is_survived() {
    assert!(speakable("").is_empty());
    for text in [
        "...",
        "$",
        "%",
        "-",
        "$.",
        "#",
        "(",
        "1/",
        "/",
        "9:",
        ":30",
        "é§",
        "3-",
        "99999999999999999999",
        "13/45/2020",
    ] {
        let _ = spoken_text(&speakable(text));
    }
}
