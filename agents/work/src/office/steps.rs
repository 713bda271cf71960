//! The run of one Passport: route, each specialist, conclusion. Every step is written once.

use std::time::Instant;

use language::Screen;
use serde_json::{Map, Value, json};
use storage::records::{NewWorkItem, Priority as ItemPriority, TurnCommit, WorkKind};
use storage::{PassportId, Passports, StorageError, Turns, WorkItems};
use uuid::Uuid;

use super::gather::{self, Gathered};
use super::step::{Asked, Made, Step, digest};
use super::{Office, OfficeError, Pace, Worked, job_for, model, now, precedents};
use crate::contracts::{
    Budget, Contract, MessagePriority, ProvenanceMetadata, TaskContract, TaskStatus, sha256_of,
};
use crate::hub::conclude::{Conclusion, Done, conclude};
use crate::hub::{
    self, Body, Destination, HEAD, Hub, SandboxedContext, component, head, methods, routing, sandbox,
};
use crate::passport::entry_id;
use crate::passport::{ConfidenceVector, Patch, RoutingInfo, Status, Versioned, kept};
use crate::teams::{Method, SpecialistFile, Team, Teams};
use dialogue::Priority;

/// How often a commit that met somebody else's is tried again.
const TRIES: usize = 6;
/// Key of the Passport's context under which the office notes which teams work it.
const NOTES: &str = "office";

/// A Passport in hand.
struct Run<'o> {
    office: &'o Office,
    held: Versioned,
    gathered: Gathered,
}

pub(super) async fn work(
    office: &Office,
    id: PassportId,
    team: &str,
    mut screen: Box<dyn Screen>,
    pace: &mut impl Pace,
) -> Result<Worked, OfficeError> {
    let Some(found) = office.store.passport(id).await? else { return Ok(Worked::Nothing) };
    let call = found.call_id;
    let held = kept::read(found)?;
    let gathered = gather::gather(office, &held.passport, call, screen.as_mut()).await?;
    let mut run = Run { office, held, gathered };
    let Some(team) = run.assign(&office.teams, team, screen.as_mut()).await? else {
        return Ok(Worked::Concluded(run.held.passport.status));
    };
    let done_before = |run: &Run<'_>| run.has(&format!("{}/concluded", team.id));
    if done_before(&run) {
        return Ok(Worked::Concluded(run.held.passport.status));
    }
    for specialist in team.in_order() {
        if run.has(&format!("{}/{}", team.id, specialist.id)) {
            continue;
        }
        if !pace.go_on().await {
            return Ok(Worked::Stopped);
        }
        run.specialist(team, specialist).await?;
    }
    if !pace.go_on().await {
        return Ok(Worked::Stopped);
    }
    run.conclude(team).await?;
    Ok(Worked::Concluded(run.held.passport.status))
}

pub(super) async fn give_up(office: &Office, id: PassportId, team: &str) -> Result<(), OfficeError> {
    let Some(found) = office.store.passport(id).await? else { return Ok(()) };
    let call = found.call_id;
    let case = hub::Case::default();
    let mut run = Run { office, held: kept::read(found)?, gathered: Gathered { case, caller: None, call } };
    let reason = "the back office could not work it; the log has the cause";
    let mut step = Step::new(format!("{team}/given_up"), HEAD.to_owned(), "gave_up");
    step.outputs = "handed to a person".to_owned();
    step.asked = Some(Asked::in_vain(if team.is_empty() { &run.held.passport.team_id } else { team }));
    step.confidence = ConfidenceVector::of(1.0, 1);
    run.to_person(&mut step, team, reason).await?;
    run.write(step).await
}

impl Run<'_> {
    /// Whether a step of this name is on record.
    fn has(&self, name: &str) -> bool {
        let id = self.step_id(name);
        self.held.passport.ledger.entries().iter().any(|entry| entry.id == id)
    }

    fn step_id(&self, name: &str) -> Uuid {
        entry_id(&self.key(name))
    }

    /// Key of a step, and beginning of the keys of what it files.
    fn key(&self, name: &str) -> String {
        format!("{}/{name}", gather::key_of(self.held.passport.id))
    }

    /// The team that works it: as a referral or an earlier run has it, or as routing finds. `None`: none; that is
    /// written, with what follows from it.
    async fn assign<'t>(
        &mut self,
        teams: &'t Teams,
        named: &str,
        screen: &mut dyn Screen,
    ) -> Result<Option<&'t Team>, OfficeError> {
        let notes = &self.held.passport.context.get(NOTES).cloned().unwrap_or_else(|| json!({}));
        let known = notes["team"].as_str().filter(|_| named.is_empty());
        if let Some(id) = known {
            let Some(team) = teams.team(id) else { return self.without_team(id).await };
            return Ok(Some(team));
        }
        if self.has("routed") && named.is_empty() {
            return Ok(None);
        }
        if !named.is_empty() {
            let Some(team) = teams.team(named) else { return self.without_team(named).await };
            let step = self.assigned(team, 1.0, &format!("{named}/referred"), notes)?;
            self.begin(step, screen).await?;
            return Ok(Some(team));
        }
        let near = match &self.office.near {
            Some(near) => near(self.gathered.case.told()).await,
            None => None,
        };
        let step = match routing::route(teams, &self.gathered.case, near.as_deref()) {
            Destination::Team { team, confidence } => {
                let team = teams.team(&team).ok_or_else(|| OfficeError::NoTeam(team.clone()))?;
                let step = self.assigned(team, confidence, "routed", notes)?;
                self.begin(step, screen).await?;
                return Ok(Some(team));
            }
            Destination::Person { nearest, confidence, reason } => {
                let mut step = Step::new("routed".to_owned(), HEAD.to_owned(), "route");
                step.outputs = format!("to a person; nearest {}", nearest.as_deref().unwrap_or("none"));
                step.confidence = ConfidenceVector::of(confidence, 1);
                self.to_person(&mut step, nearest.as_deref().unwrap_or_default(), &reason).await?;
                step
            }
            Destination::Nobody => {
                let mut step = Step::new("routed".to_owned(), HEAD.to_owned(), "route");
                step.outputs = "nothing is left to be done".to_owned();
                step.confidence = ConfidenceVector::of(1.0, 1);
                step.patches = vec![Patch::Status(Status::Completed), Patch::CurrentAgent(None)];
                step
            }
        };
        self.write(step).await?;
        Ok(None)
    }

    /// The team that was to work it is not there any more: a person takes it, and nothing of it is lost.
    async fn without_team<T>(&mut self, id: &str) -> Result<Option<T>, OfficeError> {
        let name = format!("{id}/gone");
        if !self.has(&name) {
            let mut step = Step::new(name, HEAD.to_owned(), "route");
            step.outputs = format!("to a person; {id} is not there any more");
            step.confidence = ConfidenceVector::of(1.0, 1);
            self.to_person(&mut step, id, &format!("the team {id} is not there any more")).await?;
            self.write(step).await?;
        }
        Ok(None)
    }

    /// The head gives it to a team's orchestrator.
    fn assigned(&self, team: &Team, confidence: f64, name: &str, notes: &Value) -> Result<Step, OfficeError> {
        let hub = Hub::of(&self.office.teams);
        let (head, lead) = (hub.head(), hub.orchestrator(&team.id));
        let lead = lead.ok_or_else(|| OfficeError::NoTeam(team.id.clone()))?;
        let parameters = Map::from_iter([("passport".to_owned(), json!(self.held.passport.id))]);
        let body =
            Body::Request { action: "work".to_owned(), parameters, timeout_seconds: 300, retry_policy: None };
        hub.permit(&head, &head.write(&lead.address(), Uuid::now_v7(), now(), body)?)?;

        let mut worked: Vec<Value> = notes["worked"].as_array().cloned().unwrap_or_default();
        worked.push(json!(team.id));
        let notes = if name == "routed" {
            json!({ "team": team.id, "confidence": confidence, "worked": worked })
        } else {
            let mut notes = notes.clone();
            notes["worked"] = json!(worked);
            notes
        };
        let routing = RoutingInfo {
            next_agent: Some(lead.component()),
            fallback_agent: Some("person".to_owned()),
            ..self.held.passport.routing.clone()
        };
        let mut step = Step::new(name.to_owned(), HEAD.to_owned(), "route");
        step.inputs = self.gathered.case.matters().join(", ");
        step.outputs = format!("{} at {confidence:.2}", team.id);
        step.confidence = ConfidenceVector::of(confidence, 1);
        step.patches = vec![
            Patch::HandOver { team: team.id.clone() },
            Patch::Routing(routing),
            Patch::CurrentAgent(Some(lead.component())),
            Patch::Context { key: NOTES.to_owned(), value: notes },
        ];
        let waits = matches!(self.held.passport.status, Status::Escalated | Status::Blocked);
        step.patches.extend((!waits).then_some(Patch::Status(Status::InProgress)));
        Ok(step)
    }

    /// A team begins, with what is known of cases like this one.
    async fn begin(&mut self, mut step: Step, screen: &mut dyn Screen) -> Result<(), OfficeError> {
        if !self.has(&step.name) {
            let found = precedents::find(self.office, &self.gathered.case, screen).await?;
            if !found.precedents.is_empty() {
                step.outputs.push_str(&format!("; {} precedents", found.precedents.len()));
            }
            step.patches.extend(precedents::patches(&self.held.passport, found));
        }
        self.write(step).await
    }

    // ------------------------------------------------------------ a specialist's part

    async fn specialist(&mut self, team: &Team, file: &SpecialistFile) -> Result<(), OfficeError> {
        let began = Instant::now();
        let hub = Hub::of(&self.office.teams);
        let lead = hub.orchestrator(&team.id).ok_or_else(|| OfficeError::NoTeam(team.id.clone()))?;
        let seat = lead.specialist(&file.id).ok_or_else(|| OfficeError::NoTeam(team.id.clone()))?;
        let context = self.context(team, file).await?;
        let task = self.task(&seat.component(), file, &context);
        task.check()?;
        let parameters = match serde_json::to_value(&task) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let body =
            Body::Request { action: "work".to_owned(), parameters, timeout_seconds: 60, retry_policy: None };
        let asked = lead.write(&seat.address(), Uuid::now_v7(), now(), body)?;
        hub.permit(&lead, &asked)?;

        let made = self.make(file, &context).await?;
        let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let body = Body::Response {
            success: true,
            result: Some(made.output.clone()),
            error: None,
            execution_time_ms: took_ms,
            provenance: Some(Box::new(self.provenance(&seat.component(), &context, &made, took_ms))),
        };
        // Over the same line as everybody's: who is not seated there, or writes to others, is refused.
        let told = seat.write(&seat.hub(), Uuid::now_v7(), now(), body)?;
        hub.permit(&seat, &told)?;
        let part = Done { agent: file.id.clone(), output: made.output.clone() };
        let step = self.part(team, file, &context, &part, made, took_ms).await?;
        self.write(step).await
    }

    /// Its sandboxed context: the only thing that goes from here to it.
    async fn context(&self, team: &Team, file: &SpecialistFile) -> Result<SandboxedContext, OfficeError> {
        let mut artifacts = self.gathered.case.artifacts();
        for part in self.parts(team) {
            artifacts.insert(part.agent, part.output.to_string());
        }
        let precedents = precedents::artifact(&self.held.passport);
        artifacts.extend(precedents.map(|told| (precedents::ARTIFACT.to_owned(), told)));
        let knowledge = if file.tools.iter().any(|tool| tool == "search_knowledge") {
            gather::knowledge(self.office, &self.gathered.case, &team.id).await
        } else {
            Vec::new()
        };
        Ok(sandbox::extract(&self.held.passport, file, &file.does, &knowledge, &artifacts)?)
    }

    /// What this team's specialists have given so far, in order.
    fn parts(&self, team: &Team) -> Vec<Done> {
        let part = |file: &&SpecialistFile| {
            let output = self.held.passport.context.get(&output_key(team, &file.id))?.clone();
            Some(Done { agent: file.id.clone(), output })
        };
        team.in_order().iter().filter_map(part).collect()
    }

    fn task(&self, agent: &str, file: &SpecialistFile, context: &SandboxedContext) -> TaskContract {
        TaskContract {
            task_id: self.key(&file.id),
            parent_task_id: Some(self.held.passport.id.to_string()),
            goal: context.task.clone(),
            constraints: context.constraints.clone(),
            context: Map::new(),
            assigned_arm: Some(agent.to_owned()),
            assigned_at: Some(now()),
            acceptance_criteria: context.success_criteria.clone(),
            priority: MessagePriority::Medium,
            budget: Budget { max_tokens: file.max_tokens.into(), ..Budget::default() },
            created_at: now(),
            deadline: None,
            status: TaskStatus::InProgress,
            depends_on: file.after.iter().map(|id| self.key(id)).collect(),
            blocks: Vec::new(),
        }
    }

    /// The output, by the model where one is asked, else by the built-in method; always of the schema.
    async fn make(&self, file: &SpecialistFile, context: &SandboxedContext) -> Result<Made, OfficeError> {
        let wrong = |problem: String| OfficeError::Output { agent: file.id.clone(), problem };
        let schema = jsonschema::validator_for(&file.output).map_err(|error| wrong(error.to_string()))?;
        // Names the place and the rule, never the value: that may be a caller's.
        let check = |output: &Value| match schema.iter_errors(output).next() {
            Some(error) => Err(format!("at {}: against {}", error.instance_path(), error.schema_path())),
            None => Ok(()),
        };
        let mut made = Made { output: Value::Null, by: "builtin", tokens: 0, cost_usd: 0.0, notes: "" };
        if let Some(model) = self.office.model.as_ref().filter(|_| !file.never_model) {
            let answered = model::ask(model, file, context, check).await;
            made.tokens = answered.usage.iter().map(|usage| usage.amount).sum();
            made.cost_usd = (self.office.price)(&answered.usage);
            if let Some(output) = answered.output {
                return Ok(Made { output, by: model.name(), ..made });
            }
            made.notes = "the model gave nothing usable; the built-in method worked";
        }
        made.output = methods::work(file.method, context);
        check(&made.output).map_err(wrong)?;
        Ok(made)
    }

    fn provenance(
        &self,
        agent: &str,
        context: &SandboxedContext,
        made: &Made,
        took_ms: u64,
    ) -> ProvenanceMetadata {
        ProvenanceMetadata {
            producing_component: agent.to_owned(),
            component_version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: now(),
            processing_time_ms: took_ms,
            input_hash: sha256_of(serde_json::to_string(context).unwrap_or_default().as_bytes()),
            input_summary: None,
            method: made.by.to_owned(),
            parameters: Map::new(),
            model_used: (made.by != "builtin").then(|| made.by.to_owned()),
            confidence: made.output["confidence"].as_f64().unwrap_or_default().clamp(0.0, 1.0),
            validation_status: "schema".to_owned(),
            validation_details: None,
            parent_artifacts: context.input_artifacts.keys().cloned().collect(),
            dependencies: Vec::new(),
            session_id: self.held.passport.id.to_string(),
            trace_id: self.held.passport.id.to_string(),
            user_id: None,
        }
    }

    /// The step that puts a part on record. What it asks for is done where the specialist has the tool for it.
    async fn part(
        &self,
        team: &Team,
        file: &SpecialistFile,
        context: &SandboxedContext,
        part: &Done,
        made: Made,
        took_ms: u64,
    ) -> Result<Step, OfficeError> {
        let agent = component(&team.id, &file.id);
        let name = format!("{}/{}", team.id, file.id);
        let mut step = Step::new(name.clone(), agent.clone(), "work");
        let can = |tool: &str| file.tools.iter().any(|own| own == tool);
        let given: Vec<&str> = context.input_artifacts.keys().map(String::as_str).collect();
        step.inputs = format!(
            "{}; {} excerpts; {} tokens",
            given.join(", "),
            context.prior_knowledge.len(),
            sandbox::tokens(context)
        );
        step.outputs = digest(&part.output);
        step.asked = Some(Asked::of(&team.id, context, &self.gathered.case, part));
        step.tools.extend((!context.prior_knowledge.is_empty()).then(|| "search_knowledge".to_owned()));
        if can("find_work_items") && context.input_artifacts.contains_key("related") {
            step.tools.push("find_work_items".to_owned());
        }
        let evidence = context.prior_knowledge.len() + context.input_artifacts.len();
        step.confidence =
            ConfidenceVector::of(part.confidence(), u32::try_from(evidence).unwrap_or(u32::MAX));
        step.patches = vec![
            Patch::Context { key: output_key(team, &file.id), value: part.output.clone() },
            Patch::CurrentAgent(Some(agent)),
            Patch::Checkpoint(Some(name.clone())),
        ];
        if let Some(asked) = part.call_back().filter(|_| can("request_callback")) {
            step.tools.push("request_callback".to_owned());
            let (item, reference) = self.call_back(&name, asked).await?;
            step.outputs.push_str(&format!("; {reference}"));
            step.patches.push(Patch::AddSubTask(reference));
            step.items.push(item);
        }
        (step.took_ms, step.tokens, step.cost_usd) = (took_ms, made.tokens, made.cost_usd);
        step.notes = format!("by {}{}{}", made.by, if made.notes.is_empty() { "" } else { "; " }, made.notes);
        Ok(step)
    }

    /// A call-back that asks for what is missing.
    async fn call_back(&self, step: &str, asked: &Value) -> Result<(NewWorkItem, String), OfficeError> {
        let missing = asked["missing"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let fields = json!({
            "reason": asked["about"], "missing": missing.collect::<Vec<_>>().join(", "),
            "phone": self.gathered.caller, "incomplete": false,
        });
        self.item(WorkKind::Callback, gather::call_back_of(&self.key(step)), fields).await
    }

    async fn item(
        &self,
        kind: WorkKind,
        key: String,
        fields: Value,
    ) -> Result<(NewWorkItem, String), OfficeError> {
        let reference = self.office.store.draw_reference(kind).await?;
        let item = NewWorkItem {
            kind,
            idempotency_key: key,
            reference: Some(reference.clone()),
            call_id: self.gathered.call,
            passport_id: Some(PassportId(self.held.passport.id)),
            priority: match self.held.passport.routing.priority {
                Priority::Low => ItemPriority::Low,
                Priority::Normal => ItemPriority::Normal,
                Priority::High => ItemPriority::High,
                Priority::Urgent => ItemPriority::Urgent,
            },
            caller: self.gathered.caller.clone(),
            fields,
        };
        Ok((item, reference))
    }

    // ------------------------------------------------------------ the end

    async fn conclude(&mut self, team: &Team) -> Result<(), OfficeError> {
        let parts = self.parts(team);
        let Conclusion { status, confidence, escalate } = conclude(&parts);
        let status = self.promised(status);
        let lead = component(&team.id, &team.orchestrator.id);
        let mut step = Step::new(format!("{}/concluded", team.id), lead, "conclude");
        step.inputs = format!("{} parts", parts.len());
        step.outputs = status.as_str().to_owned();
        step.confidence = confidence.clone();
        step.patches = vec![Patch::Confidence(confidence), Patch::Checkpoint(Some(step.name.clone()))];
        step.patches.extend(self.artifact(team));
        step.patches.extend(super::fields::team_fields(
            &self.gathered.case,
            &parts,
            &self.held.passport,
            team,
        ));
        if let Some(reason) = &escalate {
            self.to_person(&mut step, &team.id, reason).await?;
        } else {
            // Another team's word stands: who waits for a person, or for the caller, goes on waiting.
            let waits = matches!(self.held.passport.status, Status::Escalated | Status::Blocked);
            step.patches.extend((!waits).then_some(Patch::Status(status)));
            step.patches.push(Patch::CurrentAgent(None));
        }
        self.refer(team, &parts, &mut step);
        self.write(step).await
    }

    /// What the caller was promised on the phone is not done while nobody has done it.
    fn promised(&self, status: Status) -> Status {
        let open = |kind: &str| self.gathered.case.items.iter().any(|i| i.kind == kind && i.status == "open");
        match status {
            Status::Completed if open("escalation") => Status::Escalated,
            Status::Completed if open("callback") => Status::Blocked,
            status => status,
        }
    }

    /// The report of the team's last writer, by its place in this Passport.
    fn artifact(&self, team: &Team) -> Option<Patch> {
        let writer = team.in_order().into_iter().rev().find(|file| file.method == Method::Summary)?;
        let key = output_key(team, &writer.id);
        self.held.passport.context.contains_key(&key).then(|| Patch::Artifact {
            name: format!("{}_report", team.id),
            storage_ref: format!("passport:{}/context/{key}", self.held.passport.id),
        })
    }

    /// Through the head, to a team that has not had it yet. Refused: it is noted, and this team's work stands.
    fn refer(&self, team: &Team, parts: &[Done], step: &mut Step) {
        let teams = &*self.office.teams;
        let may = |part: &&Done| {
            team.specialist(&part.agent)
                .is_some_and(|file| file.tools.iter().any(|tool| tool == "refer_to_team"))
        };
        let Some((to, _)) = parts.iter().filter(may).find_map(Done::refers) else { return };
        let Some(lead) = Hub::of(teams).orchestrator(&team.id) else { return };
        let notes = self.held.passport.context.get(NOTES);
        let worked = notes.and_then(|notes| notes["worked"].as_array()).into_iter().flatten();
        let worked: Vec<String> = worked.filter_map(|id| id.as_str().map(str::to_owned)).collect();
        match head::refer(teams, &lead, to, &worked, [Uuid::now_v7(), Uuid::now_v7()], now()) {
            Ok(_) => {
                step.tools.push("refer_to_team".to_owned());
                step.outputs.push_str(&format!("; referred to {to}"));
                step.jobs.push(job_for(self.held.passport.id, to, now()));
            }
            Err(refused) => step.notes = format!("not referred: {refused}"),
        }
    }

    /// Brings a person in: status, reason, and an escalation on the list, unless the caller is called back anyway.
    async fn to_person(&self, step: &mut Step, team: &str, reason: &str) -> Result<(), OfficeError> {
        step.patches.extend([
            Patch::Status(Status::Escalated),
            Patch::Escalate { reason: self.kept_reason(reason) },
            Patch::CurrentAgent(Some("person".to_owned())),
        ]);
        step.tools.push("request_person".to_owned());
        let fields = json!({
            "reason": reason, "team": team, "phone": self.gathered.caller, "incomplete": false,
        });
        let key = format!("{}/person", self.key(&step.name));
        let (item, reference) = self.item(WorkKind::Escalation, key, fields).await?;
        step.outputs.push_str(&format!("; {reference}"));
        step.patches.push(Patch::AddSubTask(reference));
        step.items.push(item);
        Ok(())
    }

    /// A danger that was spoken of stays the first reason.
    fn kept_reason(&self, reason: &str) -> String {
        match &self.held.passport.routing.escalation_reason {
            Some(earlier) if earlier.starts_with("emergency") && earlier != reason => {
                format!("{earlier}; {reason}")
            }
            _ => reason.to_owned(),
        }
    }

    // ------------------------------------------------------------ writing

    /// One commit, once: a step that is on record already is left alone. Somebody else's change in between is taken and
    /// this one applied to it.
    async fn write(&mut self, mut step: Step) -> Result<(), OfficeError> {
        let entry = step.entry(self.step_id(&step.name), now());
        let task = step.task(self.key(&step.name), self.held.passport.id, entry.timestamp);
        for _ in 0..TRIES {
            if self.held.passport.ledger.entries().iter().any(|known| known.id == entry.id) {
                return Ok(());
            }
            let mut changed = self.held.clone();
            let patches =
                step.patches.iter().cloned().chain([Patch::Append(Box::new(entry.clone()))]).collect();
            changed
                .update(self.held.version, patches, now())
                .map_err(|_| StorageError::Invalid { what: "the passport refused the patch" })?;
            let commit = TurnCommit {
                passport: Some(kept::changed(&changed.passport, self.held.version)),
                work_items: step.items.clone(),
                jobs: step.jobs.clone(),
                tasks: task.iter().cloned().collect(),
                ..TurnCommit::default()
            };
            match self.office.store.commit_turn(commit).await {
                Ok(done) => {
                    changed.version = done.passport_version.map_or(changed.version, u64::from);
                    self.held = changed;
                    return Ok(());
                }
                Err(StorageError::Conflict { .. }) => self.reload().await?,
                // A reference was drawn by two at a time: the store draws one of its own.
                Err(StorageError::Taken { .. }) => {
                    step.items.iter_mut().for_each(|item| item.reference = None)
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(OfficeError::Contended)
    }

    async fn reload(&mut self) -> Result<(), OfficeError> {
        let id = PassportId(self.held.passport.id);
        let found =
            self.office.store.passport(id).await?.ok_or(StorageError::NotFound { what: "passport" })?;
        self.held = kept::read(found)?;
        Ok(())
    }
}

/// Where an output is kept in the Passport's context.
fn output_key(team: &Team, agent: &str) -> String {
    format!("work.{}.{agent}", team.id)
}
