use proptest::prelude::*;

use pipeline::lexicon::Lexicon;

use super::*;

#[test]
fn words_that_look_like_short_forms_stay_words() {
    let same = [
        "Please say yes or no.",
        "No. We can't do that.",
        "The answer is no.",
        "It sat in the sun.",
        "They wed. Then they left.",
        "Talk to Jan.",
        "He came in Mar.",
        "Is that in May? It may. You may.",
        "Yes or no. What is it?",
        "Help us. It is up to us.",
    ];
    for text in same {
        assert_eq!(spoken_text(&speakable(text)), text);
    }
    let table = [
        ("Say no. 2 is the other key.", "Say no. two is the other key."),
        ("Case No. 7", "Case number seven"),
        ("Open Mon. to Sat. 9 a.m.", "Open Monday to Saturday nine A M."),
        ("Closed on Sun.", "Closed on Sunday."),
        ("Due in Sept. or Oct. 3", "Due in September or October third"),
        ("Smith and Co. called", "Smith and Co. called"),
        ("It opens at 5 in the morning.", "It opens at five in the morning."),
        ("Press 1 in a moment.", "Press one in a moment."),
        ("It is 5 in wide.", "It is five inches wide."),
        ("See Rev. Jones and Lt. Ortiz.", "See Reverend Jones and Lieutenant Ortiz."),
    ];
    for (written, said) in table {
        assert_eq!(spoken_text(&speakable(written)), said, "{written}");
    }
}

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
        ("Case 2026-CV-00123", "Case two zero two six, C V, zero zero one two three"),
        ("Your case is SI-2026-0012.", "Your case is S I, two zero two six, zero zero one two."),
        ("Claim CLM-20417", "Claim C L M, two zero four one seven"),
        ("Case No. 24-1187", "Case number two four, one one eight seven"),
        ("permit #4417-0032", "permit four four one seven, zero zero three two"),
        ("Take I-95 to Route 9", "Take I ninety five to Route nine"),
        ("K-12 schools", "K twelve schools"),
        ("ZIP 90210-1234", "ZIP nine zero two one zero, one two three four"),
        ("account number 4821", "account number four eight two one"),
        // telephone numbers
        ("Call 202 555 0143 today", "Call two zero two, five five five, zero one four three today"),
        (
            "1 (800) 555-0199 x204",
            "one, eight zero zero, five five five, zero one nine nine extension two zero four",
        ),
        (
            "202.555.0143, ext. 204",
            "two zero two, five five five, zero one four three, extension two zero four",
        ),
        ("+1 202 555 0143", "one, two zero two, five five five, zero one four three"),
        ("dial 9-1-1 now", "dial nine one one now"),
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
        ("$22/month", "twenty two dollars per month"),
        ("$5-$10 or $20–40", "five to ten dollars or twenty to forty dollars"),
        ("$1.5M", "one point five million dollars"),
        ("50¢ a copy", "fifty cents a copy"),
        ("$100+", "one hundred dollars or more"),
        ("a fee of $86,", "a fee of eighty six dollars,"),
        // times
        ("8 a.m.-5 p.m. daily", "eight A M to five P M daily"),
        ("8 a.m. – 5 p.m.", "eight A M to five P M."),
        ("12:00 PM", "twelve P M"),
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
        ("due by 3/14", "due by March fourteenth"),
        ("3/14/26", "March fourteenth, twenty twenty six"),
        ("March 3-5", "March third to fifth"),
        ("on May 12th, 2026, at noon", "on May twelfth, twenty twenty six, at noon"),
        ("Mon-Fri, 8-5", "Monday to Friday, eight to five"),
        ("the 1990s and the '80s", "the nineteen nineties and the eighties"),
        // numbers
        ("5-10% off", "five to ten percent off"),
        ("a 30-day notice, 12th-grade", "a thirty day notice, twelfth grade"),
        (".5 acres", "point five acres"),
        ("-5°F", "minus five degrees Fahrenheit"),
        ("B2B and H2O", "B two B and H two O"),
        ("65+ years", "sixty five or more years"),
        ("½ mile", "one half mile"),
        ("1,250,000", "one million two hundred fifty thousand"),
        ("COVID-19 tests", "COVID nineteen tests"),
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
        ("room2@county.gov", "room two at county dot gov"),
        ("www.county.gov/permits.", "county dot gov slash permits."),
        ("Parks & Recreation", "Parks and Recreation"),
        ("and/or", "and or"),
        ("Yes — right away", "Yes, right away"),
        ("\"Open\" (today)", "Open today,"),
    ];
    check(Language::En, &table);
}

#[test]
fn spanish_is_spoken_as_people_say_it() {
    let table = [
        // references and identifiers
        ("Su número es INC-4821.", "Su número es i ene ce, cuatro ocho dos uno."),
        ("Caso SI-2026-0012", "Caso ese i, dos cero dos seis, cero cero uno dos"),
        ("Reclamo CLM-20417", "Reclamo ce ele eme, dos cero cuatro uno siete"),
        ("2026-CV-00123", "dos cero dos seis, ce ve, cero cero uno dos tres"),
        ("caso núm. 24-1187", "caso número dos cuatro, uno uno ocho siete"),
        ("Marque la extensión 204.", "Marque la extensión dos cero cuatro."),
        ("Código postal 90210", "Código postal nueve cero dos uno cero"),
        ("ventanilla #5", "ventanilla número cinco"),
        ("cuenta 0042", "cuenta cero cero cuatro dos"),
        // telephone numbers
        ("Llame al 202-555-0143.", "Llame al dos cero dos, cinco cinco cinco, cero uno cuatro tres."),
        ("(202) 555-0143, por favor", "dos cero dos, cinco cinco cinco, cero uno cuatro tres, por favor"),
        ("1-800-555-0199", "uno, ocho cero cero, cinco cinco cinco, cero uno nueve nueve"),
        ("¡Cuelgue y llame al 911!", "Cuelgue y llame al nueve uno uno!"),
        ("Marque 988 o 311.", "Marque nueve ocho ocho o tres uno uno."),
        // money
        ("Cuesta $5.20.", "Cuesta cinco dólares con veinte centavos."),
        ("$1 o $21", "un dólar o veintiún dólares"),
        ("$0.50", "cincuenta centavos"),
        ("$1,250.75", "mil doscientos cincuenta dólares con setenta y cinco centavos"),
        ("$1,000,000", "un millón de dólares"),
        ("$2.5 millones", "dos punto cinco millones de dólares"),
        ("$22/mes", "veintidós dólares por mes"),
        ("$5-$10", "cinco a diez dólares"),
        ("Son 31 dólares", "Son treinta y un dólares"),
        // times
        ("a las 3:15 p. m.", "a las tres y cuarto de la tarde."),
        ("a la 1:00 p.m. en punto", "a la una de la tarde en punto"),
        ("de 8 a. m. a 5 p. m.", "de ocho de la mañana a cinco de la tarde."),
        ("a las 9:30 a.m. del lunes", "a las nueve y media de la mañana del lunes"),
        ("a las 7:05 pm", "a las siete y cinco de la noche"),
        ("12:30 p. m.", "doce y media del mediodía."),
        ("8:00-4:30", "ocho a cuatro y media"),
        ("17:00", "diecisiete horas"),
        // dates and years
        ("12 de mayo de 2026", "doce de mayo de dos mil veintiséis"),
        ("el 1 de mayo.", "el primero de mayo."),
        ("el 1.º de enero", "el primero de enero"),
        ("5/12/2026", "doce de mayo de dos mil veintiséis"),
        ("2026-05-12", "doce de mayo de dos mil veintiséis"),
        ("mayo 12, 2026", "doce de mayo de dos mil veintiséis"),
        ("hasta el 3/14", "hasta el catorce de marzo"),
        ("12 de ago. de 2025", "doce de agosto de dos mil veinticinco"),
        ("en 1998", "en mil novecientos noventa y ocho"),
        ("mayo de 2025", "mayo de dos mil veinticinco"),
        ("lun.-vie.", "lunes a viernes."),
        // numbers and what they agree with
        ("21 días y 21 horas", "veintiún días y veintiuna horas"),
        ("1 persona, 1 formulario", "una persona, un formulario"),
        ("200 personas", "doscientas personas"),
        ("Quedan 21.", "Quedan veintiuno."),
        ("12,500 libros", "doce mil quinientos libros"),
        ("2,000,000 de libros", "dos millones de libros"),
        ("el 2.º piso y la 3.ª puerta", "el segundo piso y la tercera puerta"),
        ("el 1er. piso", "el primer piso"),
        ("4to y 5ta", "cuarto y quinta"),
        ("2.4% o 5 %", "dos punto cuatro por ciento o cinco por ciento"),
        ("1/2 taza, 3/4 partes", "media taza, tres cuartos partes"),
        ("24/7", "veinticuatro siete"),
        ("10-15 días", "diez a quince días"),
        ("-5 grados", "menos cinco grados"),
        ("5 mi al norte, 1 lb, 72°F", "cinco millas al norte, una libra, setenta y dos grados Fahrenheit"),
        ("30 km/h", "treinta kilómetros por hora"),
        ("3.5 horas", "tres punto cinco horas"),
        // addresses and short forms
        ("120 Court Square", "ciento veinte Court Square"),
        ("1450 Oak St., Ste. 200", "catorce cincuenta Oak Street, oficina doscientos"),
        ("Av. Juárez 1450", "avenida Juárez catorce cincuenta"),
        ("Calle Elm 12", "Calle Elm doce"),
        ("el Sr. Ruiz y la Dra. Paz", "el señor Ruiz y la doctora Paz"),
        ("EE. UU., p. ej., y P. ej. esto", "Estados Unidos, por ejemplo, y por ejemplo esto"),
        ("en EE. UU.", "en Estados Unidos."),
        ("y/o, c/u, aprox. 3", "y o, cada uno, aproximadamente tres"),
        // web and signs
        ("ayuda@county.gov", "ayuda arroba county punto gov"),
        ("www.county.gov/permisos.", "county punto gov diagonal permisos."),
        ("¿Quiere algo más?", "Quiere algo más?"),
        ("Parques & Recreo", "Parques y Recreo"),
        ("Sí — ahora mismo", "Sí, ahora mismo"),
    ];
    check(Language::Es, &table);
}

fn check(language: Language, table: &[(&str, &str)]) {
    assert!(table.len() >= 50);
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(written, said)| {
            let ours = spoken_text(&speakable_in(language, written));
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

/// Pieces that rules look for, so that random text meets them.
const PIECES: &str = "[A-Za-z ]{0,4}|[0-9]{1,5}|[-–—./:,;$%#()¿?¡!'\"*&@~<>+°ºª½] ?| a\\. ?m\\.| p\\.m\\.| de mayo| March | núm\\.| No\\.|\\$[0-9]{1,3}|[A-Z]{1,3}-[0-9]{2,4}|[0-9]{1,2}/[0-9]{1,2}|EE\\. UU\\.|\\PC{0,3}| ";

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn every_character_is_accounted_for_and_no_digit_is_left(pieces in proptest::collection::vec(PIECES, 0..14)) {
        let text = pieces.concat();
        let bare = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        for language in [Language::En, Language::Es] {
            let words = speakable_in(language, &text);
            let written: String = words.iter().map(|w| bare(&w.written)).collect();
            prop_assert_eq!(written, bare(&text));
            let spoken = spoken_text(&words);
            prop_assert!(!spoken.contains(char::is_numeric), "{}", spoken);
        }
    }
}

fn lexicon(entries: &[(&str, &str)]) -> Lexicon {
    Lexicon::new(entries.iter().map(|(w, s)| ((*w).to_owned(), (*s).to_owned())))
}

#[test]
fn words_and_phrases_get_their_sounds() {
    let l = lexicon(&[("Puyallup", "pew-allup"), ("la jolla", "la hoya")]);
    let said = |text| spoken_text(&l.apply(speakable(text)));
    assert_eq!(said("Puyallup, please."), "pew-allup, please.");
    assert_eq!(said("PUYALLUP's fair"), "pew-allup's fair");
    assert_eq!(said("We serve La Jolla."), "We serve la hoya.");
    assert_eq!(said("Nothing here"), "Nothing here");
}

#[test]
fn phonemes_are_passed_on_and_the_written_word_is_kept() {
    let words = lexicon(&[("Xenia", "/zˈiniə/")]).apply(speakable("Near Xenia."));
    assert_eq!(words[1].written, "Xenia.");
    assert_eq!((words[1].phonemes.as_deref(), words[1].spoken.as_str()), (Some("zˈiniə"), "Xenia."));
}
