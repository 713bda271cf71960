//! The guardian's time on texts made to be slow. Outside the module, which reads no clock.

use std::time::Instant;

use governance::pii::{Guardian, Settings};

#[test]
fn time_grows_with_the_length_of_the_text_and_no_faster() {
    let guardian = Guardian::new();
    let settings = Settings::default();
    for unit in [
        "4 ",
        "one ",
        "a@",
        "a.",
        "a:",
        "maria ",
        "my name is ",
        "42 oak ",
        "a at b dot ",
        "double ",
        "J. ",
        "- ",
        "calle ",
        "born march ",
        "x-",
        "'",
        "1.",
        "⟨",
        "[",
        "-----BEGIN ",
        "p o box ",
        "sk-",
        "my social is ",
        "de la ",
        "://:",
        "license ",
        "1.1.1.1 ",
        "license 5/5/1990 ",
        "maria 5/5/1990, ",
        "a b one uh ",
        "one colon ",
        "texas id ",
        "account 12 ",
        "1 oak avenue j ",
    ] {
        let time = |bytes: usize| {
            let text = unit.repeat(bytes / unit.len());
            let start = Instant::now();
            let _ = guardian.check(&text, &settings);
            start.elapsed().as_secs_f64()
        };
        let _ = time(1 << 12);
        let (small, large) = (time(1 << 15), time(1 << 19));
        // Sixteen times the length; a square would be 256 times as long.
        assert!(large < small * 100.0 + 0.05, "{unit:?}: {small} s, then {large} s");
    }
}
