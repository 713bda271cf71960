//! What is an address, and how far it goes.

use crate::pii::{Guardian, Kind, Settings};

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

#[test]
fn numbers_that_were_said_apart_are_those_of_houses_flats_and_towns() {
    for address in [
        "9 0 1 2 Loblolly Pine, Lufkin, Texas",
        "6-3-2-8 Camino Real, Santa Fe",
        "5 5 0 1 Highway 9 South, lot 17, Camden, Arkansas",
        "2 7 0 5 Prairie Rose, Minot",
        "1020 Chautauqua Boulevard, apartment 3-0-4, Valley City, North Dakota 58072",
        "3907 Bluebonnet Trail, Temple, Texas, 7 6 5 0 2",
        "1 3 3 1 Avenida Juárez, Brownsville",
        "fifty nine and a half canal street",
        "eleven seventeen b street",
    ] {
        assert_eq!(addresses(&format!("Send it to {address}")), [address]);
    }
    assert_eq!(addresses("We are at 38 1/2 Mill Street."), ["38 1/2 Mill Street"]);
    for text in
        ["Win 3 2 1 Main reasons to come.", "Lots 4 5 6 Street fair booths are taken.", "Rows 1 2 3 Open."]
    {
        assert!(addresses(text).is_empty(), "{text}: {:?}", addresses(text));
    }
}

#[test]
fn streets_without_their_kind_are_known_by_what_places_them() {
    for (text, address) in [
        ("The brush pile is at 905 Tallgrass and it's been two weeks.", "905 Tallgrass"),
        ("Loose pit mix reported near 613 Magnolia, officer notified", "613 Magnolia"),
        ("a nombre de jesús maría ochoa en 508 zarzamora y le doy", "508 zarzamora"),
        ("Water was shut off at 6 Nantucket Pl. after they fixed the main.", "6 Nantucket Pl."),
        ("It is right in front of 1847 Kessler Blvd East Dr, deep", "1847 Kessler Blvd East Dr"),
        (
            "The alarm at 9030 FM 1960 Rd W, Suite 104, Houston, TX 77070",
            "9030 FM 1960 Rd W, Suite 104, Houston, TX 77070",
        ),
        ("el rancho está en 22850 road 140", "22850 road 140"),
    ] {
        assert_eq!(addresses(text), [address], "{text}");
    }
    for text in [
        "The limit is advisory at 130 km/h.",
        "It begins at 1400 Pacific time.",
        "Trails close at 1900 Friday.",
        "He was one of 350 Vikings fans.",
        "Vivo en el precinto 4021.",
    ] {
        assert!(addresses(text).is_empty(), "{text}: {:?}", addresses(text));
    }
}

#[test]
fn addresses_of_puerto_rico_are_found_with_their_quarter() {
    for address in [
        "Carr. 181 Km 4.2, Bo. Quebrada Grande, Trujillo Alto PR 00976",
        "carretera ciento veintitrés kilómetro cincuenta y seis punto uno barrio hato viejo",
        "Res. Nemesio Canales, Edif. 23 Apt. 431, San Juan, Puerto Rico 00918",
        "Urb. Villa Carolina, 121-14 Calle 65, Carolina, PR 00985",
        "Calle Begonia K-12, Urb. Jardines de Ponce",
        "calle tres número de casa b diecinueve urbanización santa rosa bayamón",
    ] {
        assert_eq!(addresses(&format!("Vivo en {address}")), [address]);
    }
    assert_eq!(addresses("Vivo en 3822 Calle Santa Alodia y lleva dos días."), ["3822 Calle Santa Alodia"]);
}

#[test]
fn what_counties_of_the_states_write_is_an_address() {
    for address in [
        "21W350 Butterfield Road, Apt. 118, Lombard, IL 60148",
        "281 Possum Trot Ln, Cookeville, Tenn. 38506",
        "2 Harbor Vw, Camden ME 04843",
        "455 North Broadway, upstairs unit",
        "RR 3 Box 412, Eufaula, OK 74432",
    ] {
        assert_eq!(addresses(&format!("It was posted to {address}")), [address]);
    }
}
