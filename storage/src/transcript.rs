//! From the log of a call to what people read: who said what, and how far each of our segments got. Pure.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};

use crate::records::{CallEntry, LogRow, PlayState, PlayoutRow, Speaker, TranscriptTurn};

/// What we planned to say, in the order it was planned, each with its last known play-out.
#[must_use]
pub fn playout(log: &[LogRow]) -> Vec<PlayoutRow> {
    let mut rows: Vec<PlayoutRow> = Vec::new();
    let mut places: BTreeMap<(u32, u16), usize> = BTreeMap::new();
    for row in log {
        match &row.entry {
            CallEntry::Planned { turn, segment, text, segment_kind, .. } => {
                places.entry((*turn, *segment)).or_insert_with(|| {
                    rows.push(planned(*turn, *segment, segment_kind, text));
                    rows.len() - 1
                });
            }
            CallEntry::Played { turn, segment, .. } => {
                if let Some(place) = places.get(&(*turn, *segment)) {
                    mark_played(&mut rows[*place], &row.entry);
                }
            }
            _ => {}
        }
    }
    rows
}

fn planned(turn: u32, segment: u16, kind: &str, text: &str) -> PlayoutRow {
    PlayoutRow {
        turn,
        segment,
        kind: kind.to_owned(),
        text: text.to_owned(),
        state: PlayState::Planned,
        from_ms: None,
        to_ms: None,
        heard_text: String::new(),
        estimated: false,
    }
}

/// A segment that was stopped and resumed is on record twice: it began with the first and ended as the last says.
fn mark_played(row: &mut PlayoutRow, entry: &CallEntry) {
    if let CallEntry::Played { state, from_ms, to_ms, heard_text, estimated, .. } = entry {
        row.state = *state;
        row.from_ms = Some(row.from_ms.map_or(*from_ms, |first| first.min(*from_ms)));
        row.to_ms = Some(*to_ms);
        row.heard_text.clone_from(heard_text);
        row.estimated = *estimated;
    }
}

/// Who said what, by turn; within a turn the caller first. `began` is when the stream was accepted.
#[must_use]
pub fn transcript(began: DateTime<Utc>, log: &[LogRow]) -> Vec<TranscriptTurn> {
    // Two people may have had the call within one turn.
    let key = |said: &TranscriptTurn| (said.turn, said.speaker, said.by.clone());
    let mut turns: BTreeMap<(u32, Speaker, Option<String>), TranscriptTurn> = BTreeMap::new();
    for row in log {
        if let Some(said) = caller_turn(began, row) {
            turns.insert(key(&said), said);
        }
    }
    let mut replies: BTreeMap<u32, Vec<PlayoutRow>> = BTreeMap::new();
    let dropped = taken_back(log);
    for row in playout(log).into_iter().filter(|row| !dropped.contains(&(row.turn, row.segment))) {
        replies.entry(row.turn).or_default().push(row);
    }
    for (turn, segments) in replies {
        let said = agent_turn(began, log, turn, &segments);
        turns.insert(key(&said), said);
    }
    for row in log {
        let Some(spoke) = person_turn(began, log, row) else { continue };
        match turns.get_mut(&key(&spoke)) {
            Some(before) => {
                before.ended_at = spoke.ended_at;
                if matches!(row.entry, CallEntry::PersonSaid { .. }) {
                    before.text = joined([before.text.as_str(), spoke.text.as_str()].into_iter());
                }
            }
            None => drop(turns.insert(key(&spoke), spoke)),
        }
    }
    turns.into_values().collect()
}

/// Segments that were planned for the first half of a turn that went on.
fn taken_back(log: &[LogRow]) -> BTreeSet<(u32, u16)> {
    let (mut planned, mut dropped) = (BTreeSet::new(), BTreeSet::new());
    for row in log {
        match &row.entry {
            CallEntry::Planned { turn, segment, .. } => drop(planned.insert((*turn, *segment))),
            CallEntry::Rejoined { turn, .. } => {
                dropped.extend(planned.iter().filter(|(of, _)| of == turn).copied());
            }
            _ => {}
        }
    }
    dropped
}

fn caller_turn(began: DateTime<Utc>, row: &LogRow) -> Option<TranscriptTurn> {
    let (turn, text, from_ms, to_ms, confidence) = match &row.entry {
        CallEntry::CallerTurn { turn, text, started_ms, ended_ms, confidence } => {
            (*turn, text.clone(), *started_ms, *ended_ms, Some(*confidence))
        }
        CallEntry::Digits { turn, digits } => (*turn, format!("[keys {digits}]"), row.at_ms, row.at_ms, None),
        _ => return None,
    };
    Some(TranscriptTurn {
        turn,
        speaker: Speaker::Caller,
        by: None,
        text,
        started_at: at(began, from_ms),
        ended_at: Some(at(began, to_ms)),
        interrupted: false,
        heard_text: None,
        confidence,
    })
}

/// What a person of the office said; where nothing of it was made out, that they spoke, and from when to when.
fn person_turn(began: DateTime<Utc>, log: &[LogRow], row: &LogRow) -> Option<TranscriptTurn> {
    let (turn, by, text, from_ms, to_ms) = match &row.entry {
        CallEntry::PersonSaid { turn, by, text, from_ms, to_ms } => (turn, by, text.clone(), from_ms, to_ms),
        CallEntry::PersonSpoke { turn, by, from_ms, to_ms } if !was_made_out(log, by, *from_ms, *to_ms) => {
            (turn, by, format!("[{by} spoke]"), from_ms, to_ms)
        }
        _ => return None,
    };
    Some(TranscriptTurn {
        turn: *turn,
        speaker: Speaker::Supervisor,
        by: Some(by.clone()),
        text,
        started_at: at(began, *from_ms),
        ended_at: Some(at(began, *to_ms)),
        interrupted: false,
        heard_text: None,
        confidence: None,
    })
}

/// Whether words of that person's lie within a stretch of their sound. It is played a little after it is heard here.
fn was_made_out(log: &[LogRow], who: &str, begun_ms: u64, ended_ms: u64) -> bool {
    const BEHIND_MS: u64 = 500;
    log.iter().any(|row| {
        matches!(&row.entry, CallEntry::PersonSaid { by, from_ms, to_ms, .. }
            if by == who && *from_ms <= ended_ms && begun_ms <= to_ms + BEHIND_MS)
    })
}

fn agent_turn(began: DateTime<Utc>, log: &[LogRow], turn: u32, segments: &[PlayoutRow]) -> TranscriptTurn {
    let from_ms = segments.iter().filter_map(|s| s.from_ms).min();
    let to_ms = segments.iter().filter_map(|s| s.to_ms).max();
    let all_heard = segments.iter().all(|s| s.state == PlayState::Heard);
    let ended = segments.iter().all(|s| s.state != PlayState::Planned);
    let heard = || joined(segments.iter().map(|s| s.heard_text.as_str()));
    TranscriptTurn {
        turn,
        speaker: Speaker::Agent,
        by: None,
        text: joined(segments.iter().map(|s| s.text.as_str())),
        started_at: at(began, from_ms.unwrap_or_else(|| planned_ms(log, turn))),
        ended_at: to_ms.filter(|_| ended).map(|ms| at(began, ms)),
        interrupted: was_interrupted(log, turn),
        heard_text: (!all_heard).then(heard),
        confidence: None,
    }
}

fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

fn planned_ms(log: &[LogRow], turn: u32) -> u64 {
    let of_turn = |row: &&LogRow| matches!(&row.entry, CallEntry::Planned { turn: t, .. } if *t == turn);
    log.iter().find(of_turn).map_or(0, |row| row.at_ms)
}

fn was_interrupted(log: &[LogRow], turn: u32) -> bool {
    log.iter().any(|row| matches!(&row.entry, CallEntry::Interrupted { turn: t, .. } if *t == turn))
}

fn at(began: DateTime<Utc>, ms: u64) -> DateTime<Utc> {
    began + TimeDelta::milliseconds(i64::try_from(ms).unwrap_or(i64::MAX / 2_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(turn: u32, segment: u16, text: &str) -> CallEntry {
        let (text, segment_kind) = (text.to_owned(), "reply".to_owned());
        CallEntry::Planned { turn, segment, text, segment_kind, fixed: false }
    }

    fn said(turn: u32, text: &str) -> CallEntry {
        CallEntry::CallerTurn { turn, text: text.to_owned(), started_ms: 100, ended_ms: 900, confidence: 0.9 }
    }

    #[test]
    fn that_a_person_spoke_is_told_once_a_turn_from_the_first_sound_to_the_last() {
        let spoke = |from_ms, to_ms| CallEntry::PersonSpoke { turn: 1, by: "pat".to_owned(), from_ms, to_ms };
        let entries = [said(1, "A person, please."), spoke(2_000, 3_000), spoke(4_000, 9_000)];
        let rows = entries.into_iter().enumerate();
        let log: Vec<LogRow> =
            rows.map(|(n, entry)| LogRow { seq: n as u64 + 1, at_ms: 1_000 + n as u64, entry }).collect();
        let turns = transcript(DateTime::UNIX_EPOCH, &log);
        let last = &turns[1];
        assert_eq!((turns.len(), last.speaker, last.text.as_str()), (2, Speaker::Supervisor, "[pat spoke]"));
        let ms = |time: DateTime<Utc>| time.timestamp_millis();
        assert_eq!((ms(last.started_at), last.ended_at.map(ms)), (2_000, Some(9_000)));
    }

    #[test]
    fn what_a_person_said_is_written_down_and_what_was_not_made_out_is_told() {
        let spoke =
            |turn, from_ms, to_ms| CallEntry::PersonSpoke { turn, by: "pat".to_owned(), from_ms, to_ms };
        let words = |turn, text: &str, from_ms, to_ms| CallEntry::PersonSaid {
            turn,
            by: "pat".to_owned(),
            text: text.to_owned(),
            from_ms,
            to_ms,
        };
        let entries = [
            words(1, "Hello, this is Pat.", 2_000, 3_000),
            words(1, "How can I help?", 3_500, 4_200),
            said(2, "It's about my permit."),
            words(2, "One second.", 9_000, 9_800),
            spoke(2, 2_060, 12_000),
            spoke(3, 20_000, 21_000),
        ];
        let rows = entries.into_iter().enumerate();
        let log: Vec<LogRow> =
            rows.map(|(n, entry)| LogRow { seq: n as u64 + 1, at_ms: 1_000 + n as u64, entry }).collect();
        let turns = transcript(DateTime::UNIX_EPOCH, &log);
        let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
        let all =
            ["Hello, this is Pat. How can I help?", "It's about my permit.", "One second.", "[pat spoke]"];
        assert_eq!(texts, all);
        assert_eq!((turns[0].speaker, turns[0].by.as_deref()), (Speaker::Supervisor, Some("pat")));
        assert_eq!(turns[0].ended_at.map(|at| at.timestamp_millis()), Some(4_200));
    }

    #[test]
    fn a_turn_that_went_on_is_one_turn_and_the_reply_to_its_first_half_is_gone() {
        let entries = [
            said(1, "I have a question."),
            planned(1, 0, "Yes, please."),
            CallEntry::Rejoined { turn: 1, at_ms: 1_500 },
            said(1, "I have a question. When are you open?"),
            planned(1, 1, "From eight to five."),
        ];
        let rows = entries.into_iter().enumerate();
        let log: Vec<LogRow> =
            rows.map(|(n, entry)| LogRow { seq: n as u64 + 1, at_ms: 1_000 + n as u64, entry }).collect();
        let turns = transcript(DateTime::UNIX_EPOCH, &log);
        let texts: Vec<&str> = turns.iter().map(|t| t.text.as_str()).collect();
        assert_eq!(texts, ["I have a question. When are you open?", "From eight to five."]);
    }
}
