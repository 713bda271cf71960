//! The weights' file, and readings of any text and any vector.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

#[test]
fn weights_of_another_version_are_refused() {
    for bytes in [&b""[..], b"QMEANS02", &[0; 64], &vec![0; MAGIC.len() + FLOATS * 4 + OUTPUTS * MARKS]] {
        let error = Meaning::from_bytes(bytes).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains("train_meaning"), "{error}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut layers = Layers::empty();
    layers.into[3][7] = 1.0;
    layers.out[7][1 + Forbidden::OthersData as usize] = 20.0;
    // A query that listens to the token that has the fifth number, and to no other.
    layers.queries[2].asks[5] = 50.0;
    layers.queries[2].into[9][1] = 1.0;
    layers.queries[2].out[1][FORBIDDEN + 1 + Act::Booked as usize] = 20.0;
    let parts = Parts { marks: vec![[0.0; OUTPUTS]; MARKS], bias: [0.0; OUTPUTS], layers };
    let read = Meaning::from_bytes(&Meaning::to_bytes(&parts)).unwrap();
    let mut vector = [0.0; WIDTH];
    vector[3] = 1.0;
    let mut tokens = [0.0; WIDTH * 3];
    (tokens[WIDTH + 5], tokens[WIDTH + 9]) = (1.0, 1.0);
    let text = "A word or two, and then some more words.";
    let seen = Seen { vector: &vector, tokens: &tokens };
    let meant = read.read(text, Some(seen)).unwrap();
    assert_eq!((meant.forbidden(), meant.claims()), ((Forbidden::OthersData, 1000), Some(Act::Booked)));
    assert_eq!((meant.of(Forbidden::OthersData), meant.of(Forbidden::Cold)), (1000, 0));
    let other = Seen { tokens: &tokens[..WIDTH], ..seen };
    assert_eq!(read.read(text, Some(other)).unwrap().act().1, 875, "another token says nothing");
    assert!(meant.is_whole());
    let alone = read.read(text, None).unwrap();
    assert!(!alone.is_whole() && alone.act().1 == 875);
    let foreign = Seen { vector: &[0.0; 3], ..seen };
    assert_eq!(read.read(text, Some(foreign)), Some(alone), "another encoder's");
    assert_eq!(read.read("Done.", Some(seen)), None, "a word alone");
}

#[test]
fn a_promise_by_its_words_alone_must_be_surer() {
    let whole = Meant::new((Forbidden::Promise, 0), (Act::Report, CLAIMS));
    assert_eq!(whole.claims(), Some(Act::Report));
    assert_eq!(Meant { whole: false, ..whole }.claims(), None);
    assert_eq!(Meant::new((Forbidden::Promise, 0), (Act::Report, CLAIMS - 1)).claims(), None);
}

#[test]
fn ordinary_words_are_nothing_that_must_not_be_said() {
    for text in ["It opens at eight and closes at five.", "La oficina abre a las ocho y cierra a las cinco."]
    {
        let read = Meaning::shipped().unwrap().read(text, None).unwrap();
        assert!(Forbidden::ALL.iter().all(|kind| read.of(*kind) < 350), "{text}: {:?}", read.forbidden());
    }
}

#[test]
fn the_shipped_heads_tell_promises_from_what_is_near_to_them_by_words_alone() {
    let read = |text: &str| Meaning::shipped().unwrap().read(text, None).unwrap();
    for said in [
        "I've filed your report with the road office.",
        "Somebody from the permit office will call you back this afternoon.",
        "I have sent the form to your address.",
        "Ya le mandé el formulario por correo a su casa.",
        "La oficina de permisos le va a llamar mañana.",
    ] {
        assert!(read(said).claims().is_some(), "{said}: {:?}", read(said).act());
    }
    for said in [
        "Would you like me to file a report for you?",
        "If you leave your number, somebody can call you back.",
        "I haven't sent anything to your address yet.",
        "The treasurer sends the tax bills every October.",
        "¿Quiere que le mande el formulario por correo?",
        "Nadie le va a llamar si no lo pide.",
    ] {
        assert_eq!(read(said).claims(), None, "{said}: {:?}", read(said).act());
    }
}

#[test]
fn kinds_are_found_by_their_names() {
    for kind in Forbidden::ALL {
        assert_eq!(Forbidden::of(kind.name()), Some(kind));
    }
    for act in Act::ALL {
        assert_eq!(Act::of(act.name()), Some(act));
    }
    assert_eq!((Forbidden::of("advice"), Act::of("")), (None, None));
}

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC{0,300}", at in 0..WIDTH) {
        let mut vector = [0.0; WIDTH];
        vector[at] = 1.0;
        let seen = Seen { vector: &vector, tokens: &vector };
        for meant in [Some(seen), None].into_iter().filter_map(|seen| Meaning::shipped().unwrap().read(&text, seen)) {
            prop_assert!(meant.forbidden().1 <= 1000 && meant.act().1 <= 1000);
        }
    }
}
