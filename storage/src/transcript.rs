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
    let mut turns: BTreeMap<(u32, Speaker), TranscriptTurn> = BTreeMap::new();
    for row in log {
        if let Some(said) = caller_turn(began, row) {
            turns.insert((said.turn, said.speaker), said);
        }
    }
    let mut replies: BTreeMap<u32, Vec<PlayoutRow>> = BTreeMap::new();
    let dropped = taken_back(log);
    for row in playout(log).into_iter().filter(|row| !dropped.contains(&(row.turn, row.segment))) {
        replies.entry(row.turn).or_default().push(row);
    }
    for (turn, segments) in replies {
        turns.insert((turn, Speaker::Agent), agent_turn(began, log, turn, &segments));
    }
    for row in log {
        let Some(spoke) = person_turn(began, row) else { continue };
        match turns.get_mut(&(spoke.turn, Speaker::Supervisor)) {
            Some(before) => before.ended_at = spoke.ended_at,
            None => drop(turns.insert((spoke.turn, Speaker::Supervisor), spoke)),
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
        text,
        started_at: at(began, from_ms),
        ended_at: Some(at(began, to_ms)),
        interrupted: false,
        heard_text: None,
        confidence,
    })
}

/// What a person of the office said is not written down: that they spoke, and from when to when, is.
fn person_turn(began: DateTime<Utc>, row: &LogRow) -> Option<TranscriptTurn> {
    let CallEntry::PersonSpoke { turn, by, from_ms, to_ms } = &row.entry else { return None };
    Some(TranscriptTurn {
        turn: *turn,
        speaker: Speaker::Supervisor,
        text: format!("[{by} spoke]"),
        started_at: at(began, *from_ms),
        ended_at: Some(at(began, *to_ms)),
        interrupted: false,
        heard_text: None,
        confidence: None,
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
