//! Tools of a model's turn: each call read and checked, look-ups begun, effects made durable before anything is said
//! of them.

use std::time::Duration;

use pipeline::ports::{AfterReply, Consent, Language, Question, ReplyEvent, TurnInput};
use pipeline::turn::TurnId;
use serde_json::Value;
use storage::outbox_records::NewOutgoing;
use storage::{CallId, PassportId};
use tokio::time::sleep;

use super::super::call_context::Seat;
use super::super::effects::TurnWork;
use super::super::event_sender::Outbox;
use super::super::office::{Knowledge, Office};
use super::super::turn_writer::Books;
use super::Live;
use super::reads::{self, Found};
use super::run::{ModelRun, Phase};
use dialogue::Priority;
use dialogue::builtin::state::Filled;
use dialogue::builtin::{Effect, Files, Filing, LineAct, MOST_QUESTIONS, Note, Standing, Trouble};
use language::english::when::{spoken_date, spoken_time};
use models::conversation::ToolCall;
use work::clerk;
use work::tools::remote::outside::{DESTINATION, Offered};
use work::tools::{Asked, Outcome, Seen};

/// Requests to the model in one turn.
pub(super) const MAX_ROUNDS: usize = 6;
/// Tool calls in one turn.
pub(super) const MAX_CALLS: usize = 8;
/// A write that takes longer is told to the session.
const SLOW: Duration = Duration::from_millis(300);
/// Characters of a tool call's id that go into the key of its effect.
const LONGEST_ID: usize = 100;

/// What is told of an effect that somebody else makes.
const SENT: &str = "It is on its way to the office that does it. Its result is not known on this call: promise none, and \
    give no number.";

/// Whether all calls of an answer were done.
#[derive(PartialEq, Eq)]
pub(super) enum Worked {
    All,
    /// A look-up is under way, or the commit is waited for.
    NotYet,
}

impl Live {
    /// Does the calls that are left, as far as it can now.
    pub(super) async fn work(&mut self, seat: &mut Seat, run: &mut ModelRun) -> Worked {
        while let Some(call) = run.todo.pop_front() {
            if let Some(offered) = self.outside.iter().find(|o| *o.shown == call.name).cloned() {
                match self.ask_outside(seat, run, call, offered).await {
                    Worked::All => continue,
                    Worked::NotYet => return Worked::NotYet,
                }
            }
            let asked = match work::tools::read(&call, seen(&seat.office, run)) {
                Ok(asked) => asked,
                Err(refusal) => {
                    run.result(&call, Outcome::error(refusal.to_string()), &seat.out).await;
                    continue;
                }
            };
            if let Some(refusal) = run.refusal(&call, &asked) {
                run.result(&call, Outcome::error(refusal), &seat.out).await;
                continue;
            }
            if let Some(known) = work::tools::tool(&call.name)
                && let Err(refusal) = self.authority.policy().await.permit(known)
            {
                if known.tool.reads_only() || known.tool.needs_call {
                    run.result(&call, Outcome::error(refusal.to_string()), &seat.out).await;
                    continue;
                }
                if !run.committed {
                    run.todo.push_front(call);
                    run.phase = Phase::Waiting;
                    return Worked::NotYet;
                }
                let outcome = hold(seat, run, &call).await;
                run.result(&call, outcome, &seat.out).await;
                continue;
            }
            if let Some(known) = work::tools::tool(&call.name).filter(|known| known.tool.reads_only()) {
                let limit = known.tool.time_limit();
                let work = Box::pin(reads::look_up(asked.clone(), seat.office.clone(), limit));
                run.await_reading(call, asked, work);
                return Worked::NotYet;
            }
            if !run.committed {
                run.todo.push_front(call);
                run.phase = Phase::Waiting;
                return Worked::NotYet;
            }
            let outcome = self.act(seat, run, &call, asked).await;
            run.result(&call, outcome, &seat.out).await;
        }
        run.close_results();
        Worked::All
    }

    /// A look-up is done: what it found becomes its call's result.
    pub(super) async fn take_reading(&mut self, seat: &mut Seat, run: &mut ModelRun, found: Found) {
        let Phase::Reading { call, asked, .. } = std::mem::replace(&mut run.phase, Phase::Over) else {
            return;
        };
        run.tell_busy(&seat.out).await;
        if let Found::Passages(passages) = &found {
            run.shown.extend(passages.iter().cloned());
            if let (true, TurnInput::Said { text, .. }) = (self.driver.looker.is_some(), &run.input) {
                run.pages.put(&run.shown, text);
            }
        }
        let knowledge = Knowledge { local: seat.office.today(), ..Knowledge::default() };
        let view = seat.office.view(&knowledge);
        let dialogue = &seat.office.shared.dialogue;
        let outcome = reads::tell(&asked, found, &mut run.memory, dialogue, &view);
        run.result(&call, outcome, &seat.out).await;
    }

    /// A tool of a server: what reads is looked up, what writes goes into the outbox with the turn.
    async fn ask_outside(
        &self,
        seat: &mut Seat,
        run: &mut ModelRun,
        call: ToolCall,
        offered: Offered,
    ) -> Worked {
        // What the model put together itself is personal data too; and rules know the tool by the configuration's name.
        let call = run.shown_call(&call);
        let named = ToolCall { name: offered.known.tool.name.clone(), ..call.clone() };
        if let Some(refusal) = run.refusal(&named, &Asked::Outside) {
            run.result(&call, Outcome::error(refusal), &seat.out).await;
            return Worked::All;
        }
        let known = offered.known.clone();
        let input = known.check_input(&call.input).map_err(|refusal| refusal.to_string());
        let input = input.and_then(|()| offered.sent(&call.input, &run.memory.redactor));
        let permitted = self.authority.policy().await.permit(&known);
        let input = match (input, &permitted) {
            (Err(problem), _) => Err(problem),
            (Ok(_), Err(refusal)) if known.tool.reads_only() => Err(refusal.to_string()),
            (Ok(input), _) => Ok(input),
        };
        let input = match input {
            Ok(input) => input,
            Err(problem) => {
                run.result(&call, Outcome::error(problem), &seat.out).await;
                return Worked::All;
            }
        };
        if known.tool.reads_only() {
            let remote = offered.remote.clone();
            let work = Box::pin(async move { Found::Outside(remote.call(&known, &input, None).await) });
            run.await_reading(call, Asked::Outside, work);
            return Worked::NotYet;
        }
        if !run.committed {
            run.todo.push_front(call);
            run.phase = Phase::Waiting;
            return Worked::NotYet;
        }
        let destination = format!("{DESTINATION}{}", offered.remote.settings.name);
        let new =
            Outward { destination, tool: known.tool.name.clone(), held: permitted.is_err(), payload: input };
        let outcome = send(seat, run, &call, new).await;
        run.result(&call, outcome, &seat.out).await;
        Worked::All
    }

    /// Makes one effect. Never interrupted: a write that was begun is a write whose end is known.
    async fn act(&mut self, seat: &mut Seat, run: &mut ModelRun, call: &ToolCall, asked: Asked) -> Outcome {
        match asked {
            Asked::File(filing) => self.file(seat, run, call, *filing).await,
            Asked::MarkUrgent { kind } => mark_urgent(seat, run, call, kind).await,
            Asked::PutThrough { target } => put_through(seat, run, call, &target).await,
            Asked::AskStaff { question } => ask_staff(seat, run, call, question).await,
            Asked::PauseRecording { paused } => pause_recording(seat, run.turn, paused).await,
            Asked::Speak(language) => {
                speak(seat, run, language);
                Outcome::ok(match language {
                    Language::En => "The call goes on in English. Answer in English now.",
                    Language::Es => "The call goes on in Spanish. Answer in Spanish now.",
                })
            }
            Asked::EndCall => {
                run.after = AfterReply::HangUp;
                Outcome::ok("The call ends after your words.")
            }
            Asked::Search { .. } | Asked::FreeTimes { .. } | Asked::Claim { .. } | Asked::Outside => {
                Outcome::error("This tool only reads.")
            }
        }
    }

    async fn file(
        &mut self,
        seat: &mut Seat,
        run: &mut ModelRun,
        call: &ToolCall,
        filing: Filing,
    ) -> Outcome {
        if let Some(reference) = run.memory.filed_before(&call.name, &call.input) {
            return Outcome::ok(format!(
                "This was done before on this call, under reference number {reference}. Nothing was filed again."
            ));
        }
        let priority = if seat.state.urgent { Priority::Urgent } else { filing.priority };
        let mut filing = Filing { priority, ..filing };
        seat.state.note_staff(&mut filing);
        match effect(seat, run.turn, call, Effect::File(filing.clone())).await {
            Ok(references) => {
                let reference = references.into_iter().next().unwrap_or_default();
                run.memory.note_filed(&call.name, &call.input, &reference);
                run.owed.push(reference.clone());
                run.exchange.acted = true;
                let outcome = filed(seat, &filing, &reference);
                remember_filed(seat, &filing, reference);
                outcome
            }
            Err(Trouble::OpeningTaken) => {
                if let Some(id) = filing.booking {
                    run.memory.withdraw(id);
                }
                Outcome::error(
                    "That time was just taken by somebody else; nothing was booked. Say so, call list_free_times and offer others.",
                )
            }
            Err(Trouble::NotSaved | Trouble::AllBusy) => not_saved(seat),
        }
    }
}

/// The reply goes on in another language. Who speaks and what is recorded is said once in each.
pub(super) fn speak(seat: &Seat, run: &mut ModelRun, language: Language) {
    run.memory.language = language;
    if seat.state.noticed.contains(&language) || run.noticed.contains(&language) {
        return;
    }
    if let Some(notice) = seat.office.language_notice(language) {
        run.notify(&notice);
    }
}

fn seen<'a>(office: &'a Office, run: &'a ModelRun) -> Seen<'a> {
    Seen {
        facts: &office.desk.facts,
        now: office.today(),
        redactor: &run.memory.redactor,
        offered: &run.memory.offered,
        spoken: &office.brief.spoken,
        knows_caller: office.knows_caller(),
    }
}

async fn mark_urgent(seat: &mut Seat, run: &mut ModelRun, call: &ToolCall, kind: String) -> Outcome {
    run.urgent = true;
    match effect(seat, run.turn, call, Effect::MarkUrgent { kind }).await {
        Ok(_) => {
            seat.state.urgent = true;
            run.exchange.acted = true;
            Outcome::ok(
                "The call is marked as urgent. No help is sent from this line: make sure the caller dials 911.",
            )
        }
        Err(_) => Outcome::error("The call could not be marked. Make sure the caller dials 911."),
    }
}

/// The call goes to a person when the reply was heard, where somebody takes calls there now.
async fn put_through(seat: &mut Seat, run: &mut ModelRun, call: &ToolCall, target: &str) -> Outcome {
    let open = super::super::transfer::open(&seat.office, run.memory.language);
    let known = open.iter().find(|known| known.name.eq_ignore_ascii_case(target.trim()));
    let Some((target, waits, has_line)) = known.map(|known| (known.name.clone(), known.warm, known.queue))
    else {
        let names: Vec<&str> = open.iter().map(|known| known.name.as_str()).collect();
        return Outcome::error(if names.is_empty() {
            "Nobody takes calls now. Say so, and offer request_person.".to_owned()
        } else {
            format!("Nobody of that name takes calls now. Who does: {}.", names.join(", "))
        });
    };
    if has_line
        && let Some(standing) = seat.office.queues().await.into_iter().find(|known| known.target == target)
        && !standing.is_free
    {
        return wait_in_line(seat, run, call, standing).await;
    }
    match effect(seat, run.turn, call, Effect::PutThrough { target: target.clone(), about: String::new() })
        .await
    {
        Err(Trouble::AllBusy) => {
            Outcome::error("Everybody there is on a call by now. Call put_through again.")
        }
        Ok(_) if waits => {
            run.after = AfterReply::Hold;
            run.exchange.acted = true;
            Outcome::ok(format!(
                "After your next words {target} is called while the caller waits: say only that."
            ))
        }
        Ok(_) => {
            run.after = AfterReply::Transfer;
            run.exchange.acted = true;
            Outcome::ok(format!(
                "The call goes to {target} after your next words: say only that you put the caller through to {target} now."
            ))
        }
        Err(_) => Outcome::error("The call cannot be put through. Say so, and offer request_person."),
    }
}

/// People of the office are asked when the reply was heard, and the caller waits. Their answer, or that none came, is said by the
/// built-in agent, with the source named; the model knows of it as of anything that was said.
async fn ask_staff(seat: &mut Seat, run: &mut ModelRun, call: &ToolCall, question: String) -> Outcome {
    let within_s = seat.office.desk.facts.ask_staff_s;
    let is_there = within_s > 0 && seat.office.brief.hand_over.staff.is_there();
    if !is_there || seat.state.asked_staff >= MOST_QUESTIONS || seat.state.waits() {
        return Outcome::error("Nobody of the office can be asked now. Say so, and offer request_person.");
    }
    let asks = Effect::AskStaff { question: question.clone() };
    if effect(seat, run.turn, call, asks).await.is_err() {
        return Outcome::error("They cannot be asked. Say so, and offer request_person.");
    }
    seat.state.asked_staff += 1;
    seat.state.misheard.clone_from(&question);
    seat.state.asking.clone_from(&question);
    seat.asked_in = Some(run.turn);
    let question = Question { text: question, within_s };
    seat.out.send(ReplyEvent::Question { turn: run.turn, question }).await;
    run.after = AfterReply::Ask;
    run.exchange.acted = true;
    Outcome::ok("After your next words the office is asked while the caller waits: say only that.")
}

/// What the caller is about to say is not to be kept, or no more of it comes.
async fn pause_recording(seat: &Seat, turn: TurnId, paused: bool) -> Outcome {
    if seat.state.consent == Consent::Off {
        return Outcome::ok("This call is not recorded. Do not speak of recording.");
    }
    seat.out.send(ReplyEvent::Recording { turn, paused }).await;
    Outcome::ok(if paused {
        "Nothing of the call is kept as sound until you call pause_recording again. Tell the caller that the recording is paused."
    } else {
        "The call is recorded again where the caller was told or agreed. Tell the caller."
    })
}

/// Everybody at the target is on a call. What is said and heard from here on is the built-in agent's, until it is their turn.
async fn wait_in_line(seat: &mut Seat, run: &mut ModelRun, call: &ToolCall, at: Standing) -> Outcome {
    let Standing { target, is_full, place, minutes, .. } = at;
    if is_full {
        return Outcome::error(
            "Everybody there is on a call, and too many wait. Say so, and offer request_person.",
        );
    }
    let (about, urgent) = (String::new(), seat.state.urgent);
    let join = Effect::Line(LineAct::Join { target: target.clone(), about, urgent });
    if effect(seat, run.turn, call, join).await.is_err() {
        return Outcome::error("The caller cannot wait there. Say so, and offer request_person.");
    }
    seat.state.in_line = Some(target.clone());
    run.after = AfterReply::Wait;
    run.exchange.acted = true;
    let takes = minutes.map(|minutes| format!(" It may take about {minutes} minutes.")).unwrap_or_default();
    Outcome::ok(format!(
        "Everybody at {target} is on a call. The caller waits in line there now, at place {place}.{takes} Say just that, and that \
         they can press one at any time to be called back instead, keeping their place."
    ))
}

/// Makes an effect durable, once for its call: the same functions that serve the built-in agent.
async fn effect(
    seat: &mut Seat,
    turn: TurnId,
    call: &ToolCall,
    effect: Effect,
) -> Result<Vec<String>, Trouble> {
    let Seat { office, out, books, .. } = seat;
    let did = super::super::effects::tool_name(&effect);
    let note = Note { heard: "tool call".to_owned(), did: did.to_owned(), sources: Vec::new() };
    let key = key(office, turn, call);
    let effects = [effect];
    let work = TurnWork {
        key,
        effects: &effects,
        note: &note,
        duration_ms: 0,
        tokens: 0,
        patches: Vec::new(),
        about: None,
        jobs: Vec::new(),
        outbox: Vec::new(),
    };
    let done = while_busy(out, turn, write(books, office, work)).await?;
    Ok(done)
}

/// The key of what one tool call does: the same call of the same turn does it once.
fn key(office: &Office, turn: TurnId, call: &ToolCall) -> String {
    let id: String = call.id.chars().take(LONGEST_ID).collect();
    format!("{}/{}/{id}", office.writes(), turn.0)
}

/// An effect that is made after the turn: by a person's word, or by somebody else.
struct Outward {
    destination: String,
    tool: String,
    held: bool,
    payload: Value,
}

/// Puts an effect of ours down for a person to decide.
async fn hold(seat: &mut Seat, run: &mut ModelRun, call: &ToolCall) -> Outcome {
    let payload = without_a_call(&call.input, run, &seat.office);
    let (destination, tool) = (clerk::DESK.to_owned(), call.name.clone());
    send(seat, run, call, Outward { destination, tool, held: true, payload }).await
}

/// Puts an effect into the outbox, in a transaction with the turn's note of it.
async fn send(seat: &mut Seat, run: &mut ModelRun, call: &ToolCall, new: Outward) -> Outcome {
    if run.memory.filed_before(&call.name, &call.input).is_some() {
        return Outcome::ok("This was asked for before on this call. Nothing was done again.");
    }
    let Seat { office, out, books, .. } = &mut *seat;
    let key = key(office, run.turn, call);
    let (did, told) = if new.held { ("held for a person", clerk::HELD) } else { ("sent outside", SENT) };
    let row = NewOutgoing {
        idempotency_key: key.clone(),
        destination: new.destination,
        tool: new.tool,
        held: new.held,
        call_id: Some(CallId(office.brief.call.0)),
        passport_id: Some(PassportId(office.brief.passport)),
        payload: new.payload,
    };
    let note = Note { heard: "tool call".to_owned(), did: did.to_owned(), sources: Vec::new() };
    let work = TurnWork {
        key,
        effects: &[],
        note: &note,
        duration_ms: 0,
        tokens: 0,
        patches: Vec::new(),
        about: None,
        jobs: Vec::new(),
        outbox: vec![row],
    };
    if while_busy(out, run.turn, write(books, office, work)).await.is_err() {
        return not_saved(seat);
    }
    run.memory.note_filed(&call.name, &call.input, "");
    run.exchange.acted = true;
    Outcome::ok(told)
}

/// An input as it means the same when the call is over: tokens of personal data resolved, the caller's own number, and
/// the time that a name stood for.
fn without_a_call(input: &Value, run: &ModelRun, office: &Office) -> Value {
    let Value::Object(fields) = input else { return input.clone() };
    let meant = |(name, value): (&String, &Value)| {
        let Some(text) = value.as_str() else { return (name.clone(), value.clone()) };
        let offered = run.memory.offered.get(text).map(|opening| opening.id.to_string());
        let own = office.brief.caller.as_deref().and_then(storage::zones::normalise_phone);
        let text = match name.as_str() {
            "time" => offered,
            "phone" if text.eq_ignore_ascii_case("caller") => own,
            _ => None,
        }
        .unwrap_or_else(|| run.memory.redactor.reveal(text));
        (name.clone(), Value::String(text))
    };
    Value::Object(fields.iter().map(meant).collect())
}

async fn write(books: &mut Books, office: &Office, work: TurnWork<'_>) -> Result<Vec<String>, Trouble> {
    books.write(office, work).await.map(|done| done.references)
}

/// Waits for a write; tells the session when it takes its time.
async fn while_busy<T>(out: &Outbox, turn: TurnId, work: impl Future<Output = T>) -> T {
    tokio::pin!(work);
    tokio::select! {
        biased;
        done = &mut work => return done,
        () = sleep(SLOW) => {}
    }
    out.busy(turn, true).await;
    let done = work.await;
    out.busy(turn, false).await;
    done
}

fn filed(seat: &Seat, filing: &Filing, reference: &str) -> Outcome {
    let hours = seat.office.desk.facts.hours(Language::En);
    let done = match filing.files {
        Files::Incident if filing.priority >= Priority::High => {
            "The report is filed with high priority.".to_owned()
        }
        Files::Incident => "The report is filed.".to_owned(),
        Files::Inspection => {
            format!("Booked for {}. The inspector calls before coming.", booked_for(filing))
        }
        Files::Message => "The message is passed on.".to_owned(),
        Files::Escalation | Files::Callback | Files::None => {
            format!("Noted. A person calls back on a working day, in working hours: {hours}.")
        }
    };
    Outcome::ok(format!("{done} Reference number: {reference}. Tell the caller the number."))
}

fn booked_for(filing: &Filing) -> String {
    let at = filing.fields.get("opening").map(String::as_str).unwrap_or_default();
    chrono::NaiveDateTime::parse_from_str(at, "%Y-%m-%dT%H:%M").map_or_else(
        |_| at.to_owned(),
        |at| format!("{} at {}", spoken_date(at.date()), spoken_time(at.time())),
    )
}

/// The built-in dialogue, should it take over, knows what was filed, and does not file it again.
fn remember_filed(seat: &mut Seat, filing: &Filing, reference: String) {
    let script = seat.office.shared.dialogue.script();
    let other = |id: &str| script.task(id).is_none_or(|task| task.files != filing.files);
    seat.state.tasks.retain(|task| other(&task.id));
    seat.state.parked.retain(|task| other(&task.id));
    seat.state.references.push(reference);
    for known in ["name", "phone"] {
        if let Some(value) = filing.fields.get(known) {
            seat.state.known.insert(known.to_owned(), Filled::new(value.clone(), value.clone()));
        }
    }
}

fn not_saved(seat: &mut Seat) -> Outcome {
    seat.state.failures = seat.state.failures.saturating_add(1);
    let facts = &seat.office.desk.facts;
    Outcome::error(if seat.state.failures > 1 {
        let how = facts.fill(Language::En, "call the {body} office at {office_phone}");
        let ask = if facts.knows("{office_phone}") { how.as_str() } else { "try again later" };
        format!("It still cannot be saved. Say so honestly, and ask the caller to {ask}.")
    } else {
        "It could not be saved; nothing was filed. Say so honestly, and offer to try once more.".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use pipeline::ports::ReplyEvent;

    use super::*;

    async fn told_by(milliseconds: u64) -> Vec<bool> {
        let (sender, mut events) = tokio::sync::mpsc::channel(8);
        let out = Outbox::new(sender, Language::En);
        while_busy(&out, TurnId(1), sleep(Duration::from_millis(milliseconds))).await;
        std::iter::from_fn(|| events.try_recv().ok())
            .filter_map(|e| if let ReplyEvent::Busy { busy, .. } = e { Some(busy) } else { None })
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_write_over_300_ms_makes_the_session_wait() {
        assert!(told_by(299).await.is_empty());
        assert_eq!(told_by(700).await, [true, false]);
    }
}
