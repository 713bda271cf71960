//! What is an address, and how far it goes.

use crate::safety::{Guardian, Kind, Settings};

fn addresses(text: &str) -> Vec<&str> {
    let findings = Guardian::new().check(text, &Settings::default());
    findings.iter().filter(|f| f.kind == Kind::Address).map(|f| &text[f.start..f.end]).collect()
}

fn assert_whole(address: &str) {
    for text in [address.to_owned(), format!("Please send it to {address}.")] {
        assert_eq!(addresses(&text), [address], "{text}");
    }
}

#[test]
fn streets_of_other_countries_are_addresses_with_code_and_town() {
    for address in [
        "Hauptstraße 45, 10115 Berlin",
        "Ollenhauer Str. 88, 70376 Stuttgart",
        "Bahnhofstr. 3, 8001 Zürich",
        "Karl-Marx-Allee 3, 10178 Berlin",
        "12 rue de Rivoli, 75004 Paris",
        "5 place de la République, 69002 Lyon",
        "Via Nizza 47, 82030 Melizzano",
        "Keizersgracht 112, 1015 CW Amsterdam",
        "Slotsvej 62, 2100 København",
        "ul. Piłsudskiego 12, 00-950 Warszawa",
        "Drottninggatan 71, 111 36 Stockholm",
        "10 Downing Street, Westminster, London SW1A 2AA",
        "24 Sussex Drive, Ottawa, ON K1M 1M4",
        "602 Caribou Street W, Moose Jaw, SK S6H 2L1",
    ] {
        assert_whole(address);
    }
}

#[test]
fn words_like_such_streets_are_none() {
    for text in [
        "Answers come via email 24 hours a day.",
        "Via Appia Antica is closed to cars.",
        "Take your place at 7, please.",
        "Norweg beat them by 3.",
        "ON Monday we are closed",
        "Square 7 of the form stays empty.",
    ] {
        assert!(addresses(text).is_empty(), "{text}: {:?}", addresses(text));
    }
}

#[test]
fn a_town_after_the_street_belongs_to_it() {
    for address in [
        "14 Pelican Way, Half Moon Bay",
        "1604 Garnet St, Unit 8, Barstow, CA 92311",
        "15890 Avenue 280, Exeter, CA 93221",
        "57-B Calle Serena",
        "129 Vista del Lago, Scotts Valley",
        "twelve sunset court lodi",
        "two oh eight rosewood drive en el paso texas",
        "cuatro once north mesquite street las cruces nuevo méxico",
        "seventy two oh four georgia avenue northwest washington d c",
        "fourteen eleven fulton street number three c brooklyn",
    ] {
        assert_eq!(addresses(address), [address]);
    }
    assert_eq!(addresses("14 Pelican Way, Thank you all."), ["14 Pelican Way"]);
    assert_eq!(addresses("14 Pelican Way, Maria Lopez."), ["14 Pelican Way"]);
}
