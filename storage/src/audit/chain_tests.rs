#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use secrecy::SecretBox;
use uuid::Uuid;

use super::*;
use crate::audit::SALT;
use crate::zones::PERSONAL;

const TENANT: TenantId = TenantId(Uuid::nil());

fn sealer(byte: u8) -> Sealer {
    let keys = BTreeMap::from([(1, SecretBox::new(Box::new([byte; 32])))]);
    Sealer::new(TENANT, &keys, SecretBox::new(Box::new([byte; 32]))).unwrap()
}

fn hashed(sealer: &Sealer, mut entry: AuditEntry, before: &[u8]) -> AuditEntry {
    entry.prev_hash = before.to_vec();
    entry.hash = link(before, &body(TENANT, &entry));
    entry.mac = entry_mac(sealer, &entry.hash);
    entry
}

fn entry(sealer: &Sealer, seq: u64, before: &[u8], word: &str) -> AuditEntry {
    let personal = [&[9; SALT], word.as_bytes()].concat();
    let entry = AuditEntry {
        seq,
        id: Uuid::from_u128(u128::from(seq)),
        at: format!("2026-11-22T00:00:00.{seq:06}Z"),
        trace_id: String::new(),
        actor_kind: "user".into(),
        actor_id: "pat".into(),
        action: "call.hangup".into(),
        subject_kind: "call".into(),
        subject_id: word.into(),
        outcome: "done".into(),
        details: format!("{{\"word\":{word:?}}}"),
        details_salt: vec![7; SALT],
        personal_sealed: Some(sealer.seal(PERSONAL, &seq.to_be_bytes(), &personal).unwrap()),
        personal_hash: Some(text_hash(&[9; SALT], word)),
        prev_hash: Vec::new(),
        hash: Vec::new(),
        mac: Vec::new(),
    };
    hashed(sealer, entry, before)
}

fn chain(sealer: &Sealer, words: &[String]) -> (Vec<AuditEntry>, Head) {
    let mut entries: Vec<AuditEntry> = Vec::new();
    for (seq, word) in (1..).zip(words) {
        let before = entries.last().map_or(START.to_vec(), |entry| entry.hash.clone());
        entries.push(entry(sealer, seq, &before, word));
    }
    let (seq, hash) = entries.last().map_or((0, START.to_vec()), |entry| (entry.seq, entry.hash.clone()));
    let mac = head_mac(sealer, seq, &hash);
    (entries, Head { seq, hash, mac })
}

fn check(
    sealer: &Sealer,
    entries: &[AuditEntry],
    head: Option<&Head>,
    noted: &[Head],
) -> Result<u64, Broken> {
    let mut chain = Chain::new(TENANT, sealer, noted);
    for entry in entries {
        chain.push(entry)?;
    }
    chain.finish(head).map(|()| chain.seq())
}

/// Every field of an entry, each changed in a way of its own.
fn changed(entry: &AuditEntry, field: usize) -> AuditEntry {
    let mut entry = entry.clone();
    let flip = |bytes: &mut Vec<u8>| bytes[0] ^= 1;
    match field {
        0 => entry.id = Uuid::max(),
        1 => entry.at.push('0'),
        2 => entry.trace_id.push('0'),
        3 => entry.actor_kind.push('x'),
        4 => entry.actor_id.push('x'),
        5 => entry.action.push('x'),
        6 => entry.subject_kind.push('x'),
        7 => entry.subject_id.push('x'),
        8 => entry.outcome.push('x'),
        9 => entry.details.push(' '),
        10 => flip(&mut entry.details_salt),
        11 => entry.personal_sealed = None,
        12 => entry.personal_hash = None,
        13 => flip(&mut entry.prev_hash),
        14 => flip(&mut entry.hash),
        15 => flip(&mut entry.mac),
        16 => flip(entry.personal_sealed.as_mut().unwrap()),
        // Letters that move from one field to the next make the same bytes without their lengths.
        _ => {
            let moved = entry.actor_id.pop().unwrap();
            entry.action.insert(0, moved);
        }
    }
    entry
}
const FIELDS: usize = 18;

fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-z ]{1,8}", 2..12)
}

proptest! {
    #[test]
    fn a_chain_as_it_was_written_is_whole(words in words()) {
        let key = sealer(1);
        let (entries, head) = chain(&key, &words);
        let noted: Vec<_> = entries.iter().map(|e| Head { seq: e.seq, hash: e.hash.clone(), mac: vec![] }).collect();
        prop_assert_eq!(check(&key, &entries, Some(&head), &noted), Ok(words.len() as u64));
    }

    #[test]
    fn any_changed_field_is_found_at_its_entry(words in words(), at: prop::sample::Index, field in 0..FIELDS) {
        let key = sealer(1);
        let (mut entries, head) = chain(&key, &words);
        let at = at.index(entries.len());
        entries[at] = changed(&entries[at], field);
        let broken = check(&key, &entries, Some(&head), &[]).unwrap_err();
        prop_assert_eq!(broken.seq, at as u64 + 1, "{}", broken);
    }

    /// Somebody who may write rows and knows how hashes are made, but has no key.
    #[test]
    fn a_chain_that_is_hashed_anew_is_found_where_it_was_changed(words in words(), at: prop::sample::Index) {
        let (ours, theirs) = (sealer(1), sealer(2));
        let (mut entries, mut head) = chain(&ours, &words);
        let at = at.index(entries.len());
        entries[at].outcome = "denied".into();
        for index in at..entries.len() {
            let before = index.checked_sub(1).map_or(START.to_vec(), |i| entries[i].hash.clone());
            entries[index] = hashed(&theirs, entries[index].clone(), &before);
        }
        head.hash = entries.last().unwrap().hash.clone();
        let broken = check(&ours, &entries, Some(&head), &[]).unwrap_err();
        prop_assert_eq!(broken, Broken { seq: at as u64 + 1, wrong: Wrong::Forged });
    }

    #[test]
    fn a_deletion_is_found_and_named(words in words(), at: prop::sample::Index) {
        let key = sealer(1);
        let (mut entries, head) = chain(&key, &words);
        let gone = entries.remove(at.index(entries.len()));
        let wrong = if gone.seq == words.len() as u64 { Wrong::CutOff } else { Wrong::Missing };
        prop_assert_eq!(check(&key, &entries, Some(&head), &[]), Err(Broken { seq: gone.seq, wrong }));
    }

    #[test]
    fn a_deletion_whose_gap_is_closed_is_found(words in words(), at: prop::sample::Index) {
        let key = sealer(1);
        let (mut entries, head) = chain(&key, &words);
        let at = at.index(entries.len() - 1);
        entries.remove(at);
        (1..).zip(&mut entries).for_each(|(seq, entry)| entry.seq = seq);
        prop_assert_eq!(check(&key, &entries, Some(&head), &[]).unwrap_err().seq, at as u64 + 1);
    }

    #[test]
    fn two_swapped_entries_are_found_at_the_first(words in words(), a: prop::sample::Index, b: prop::sample::Index) {
        let key = sealer(1);
        let (mut entries, head) = chain(&key, &words);
        let (a, b) = (a.index(entries.len()), b.index(entries.len()));
        prop_assume!(a != b);
        entries.swap(a, b);
        (1..).zip(&mut entries).for_each(|(seq, entry)| entry.seq = seq);
        prop_assert_eq!(check(&key, &entries, Some(&head), &[]).unwrap_err().seq, a.min(b) as u64 + 1);
    }

    #[test]
    fn an_inserted_entry_is_found(words in words(), at: prop::sample::Index) {
        let (ours, theirs) = (sealer(1), sealer(2));
        let (mut entries, head) = chain(&ours, &words);
        let at = at.index(entries.len());
        let before = at.checked_sub(1).map_or(START.to_vec(), |i| entries[i].hash.clone());
        entries.insert(at, entry(&theirs, at as u64 + 1, &before, "never"));
        (1..).zip(&mut entries).for_each(|(seq, entry)| entry.seq = seq);
        prop_assert_eq!(check(&ours, &entries, Some(&head), &[]).unwrap_err().seq, at as u64 + 1);
    }

    #[test]
    fn a_tail_that_is_cut_off_is_found_by_the_head_or_by_a_note(words in words(), left: prop::sample::Index) {
        let key = sealer(1);
        let (entries, head) = chain(&key, &words);
        let left = left.index(entries.len());
        let cut = Err(Broken { seq: left as u64 + 1, wrong: Wrong::CutOff });
        prop_assert_eq!(check(&key, &entries[..left], Some(&head), &[]), cut.clone());
        // An old head that was kept and put back: the database alone cannot tell.
        let (_, old) = chain(&key, &words[..left]);
        prop_assert_eq!(check(&key, &entries[..left], Some(&old), &[]), Ok(left as u64));
        prop_assert_eq!(check(&key, &entries[..left], Some(&old), &[head]), cut);
    }

    #[test]
    fn a_chain_that_another_key_holder_wrote_anew_is_found_by_a_note(words in words()) {
        let key = sealer(1);
        let (entries, head) = chain(&key, &words);
        let other: Vec<String> = words.iter().map(|word| format!("{word}!")).collect();
        let (forged, forged_head) = chain(&key, &other);
        let noted = [Head { mac: Vec::new(), ..head }];
        let broken = check(&key, &forged, Some(&forged_head), &noted).unwrap_err();
        prop_assert_eq!(broken, Broken { seq: entries.len() as u64, wrong: Wrong::Rewritten });
    }
}

#[test]
fn a_head_that_is_gone_changed_or_too_early_is_found() {
    let key = sealer(1);
    let (entries, head) = chain(&key, &["a".to_owned(), "b".to_owned()]);
    let wrong = |head: Option<&Head>| check(&key, &entries, head, &[]).unwrap_err();
    assert_eq!(wrong(None), Broken { seq: 2, wrong: Wrong::NoHead });
    let forged = Head { seq: 1, ..head.clone() };
    assert_eq!(wrong(Some(&forged)), Broken { seq: 2, wrong: Wrong::HeadForged });
    let (_, early) = chain(&key, &["a".to_owned()]);
    assert_eq!(wrong(Some(&early)), Broken { seq: 2, wrong: Wrong::Beyond });
    assert_eq!(check(&key, &[], None, &[]), Ok(0));
}

#[test]
fn a_head_is_read_as_it_is_printed() {
    let head = Head { seq: 12, hash: vec![0xab; 32], mac: Vec::new() };
    assert_eq!(Head::noted(&head.to_string()), Some(head));
    for wrong in
        ["", "12", "12:ab", "x:00", &format!("1:{}", "é".repeat(32)), &format!("-1:{}", "0".repeat(64))]
    {
        assert_eq!(Head::noted(wrong), None, "{wrong}");
    }
}

/// The bytes that the guide describes: who changes them makes every chain there is unreadable.
#[test]
fn the_hashes_are_what_they_were() {
    let key = sealer(1);
    let entry = entry(&key, 1, &START, "word");
    assert_eq!(to_hex(&text_hash(&[7; SALT], "{}")), TEXT);
    assert_eq!(to_hex(&entry.hash), HASH);
}
const TEXT: &str = "10cc4fe97810b8c98248613ff90ab6e2d5daa5fd4150e3179db638c4bf2288bf";
const HASH: &str = "edc3b317761ddc1baf180da0862a84b644b139f9f48a4539ff1317633bf57140";
