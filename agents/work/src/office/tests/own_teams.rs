//! Teams of a tenant's own: in force for the next task, and nothing lost when one goes.

use storage::Versions;
use storage::versions::{NewVersion, VersionKind};

use super::*;
use crate::department;

/// A team for potholes, which an incident about one is surer to be for than any that ships.
fn roads() -> String {
    let claims = Teams::shipped_text("claims").unwrap();
    let from = claims.find("[[handles]]").unwrap();
    let to = claims.find("[orchestrator]").unwrap();
    let handles = "examples = [\"the road in front of my house is full of holes\"]\n\n[[handles]]\nmatter = \"incident\"\n\
                   words = [\"pothole\"]\nconfidence = 0.97\n\n";
    format!("{}{handles}{}", &claims[..from], &claims[to..])
        .replace("id = \"claims\"", "id = \"roads\"")
        .replace("name = \"Claims Team\"", "name = \"Roads Team\"")
}

async fn keep(bench: &Bench, name: &str, expected: u32, body: Option<String>) {
    let new = NewVersion {
        kind: VersionKind::Team,
        name: name.into(),
        expected,
        actor: "pat".into(),
        changes: Vec::new(),
        body,
        settings: Vec::new(),
    };
    bench.office.store.keep_version(new).await.unwrap();
}

/// The teams as the next job is given them.
async fn renewed(bench: &mut Bench) {
    bench.office.teams = Arc::clone(&department::of(&bench.office.store).await.unwrap().teams);
}

#[tokio::test]
async fn a_team_of_the_tenants_own_takes_the_next_task_and_gives_way_when_it_goes() {
    let mut bench = Bench::new().await;
    let shipped = bench.office.teams.all().len();
    keep(&bench, "roads", 0, Some(roads())).await;
    renewed(&mut bench).await;
    assert_eq!(bench.office.teams.all().len(), shipped + 1);
    let first = bench.call(&[pothole()]).await;
    bench.work(first).await;
    assert_eq!(bench.passport(first).await.passport.team_id, "roads");
    keep(&bench, "roads", 1, None).await;
    renewed(&mut bench).await;
    let second = bench.call(&[pothole()]).await;
    bench.work(second).await;
    assert_eq!(bench.passport(second).await.passport.team_id, "incident_investigation");
    // What this program cannot read any more is left out, and the others work.
    keep(&bench, "roads", 2, Some("id = 5".into())).await;
    renewed(&mut bench).await;
    assert_eq!(bench.office.teams.all().len(), shipped);
}

#[tokio::test]
async fn a_shipped_team_has_the_tenants_version_until_that_goes() {
    let mut bench = Bench::new().await;
    let own =
        Teams::shipped_text("claims").unwrap().replace("name = \"Claims Team\"", "name = \"Damage Desk\"");
    keep(&bench, "claims", 0, Some(own)).await;
    renewed(&mut bench).await;
    assert_eq!(bench.office.teams.team("claims").unwrap().name, "Damage Desk");
    keep(&bench, "claims", 1, None).await;
    renewed(&mut bench).await;
    assert_eq!(bench.office.teams.team("claims").unwrap().name, "Claims Team");
}

#[tokio::test]
async fn what_waits_for_a_team_that_was_taken_away_goes_to_a_person_once() {
    let mut bench = Bench::new().await;
    keep(&bench, "roads", 0, Some(roads())).await;
    renewed(&mut bench).await;
    let id = bench.call(&[pothole()]).await;
    let mut first_step = Counted(1);
    let stopped = bench.office.work(id, "", Box::new(Masked), &mut first_step).await.unwrap();
    assert_eq!(stopped, Worked::Stopped);
    keep(&bench, "roads", 1, None).await;
    renewed(&mut bench).await;
    for _ in 0..2 {
        assert_eq!(bench.work(id).await, Worked::Concluded(Status::Escalated));
    }
    let waiting = bench.items(WorkKind::Escalation).await;
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    assert!(waiting[0].fields.to_string().contains("roads is not there any more"), "{waiting:?}");
    assert_eq!(bench.items(WorkKind::Incident).await.len(), 1, "what was filed stays");
    // A referral to it, too.
    let other = bench.call(&[pothole()]).await;
    let referred = bench.office.work(other, "roads", Box::new(Masked), &mut Steady).await.unwrap();
    assert_eq!(referred, Worked::Concluded(Status::Escalated));
}

#[tokio::test]
async fn words_that_are_like_its_examples_are_for_it_without_one_of_its_words() {
    let mut bench = Bench::new().await;
    keep(&bench, "roads", 0, Some(roads().replace("\"pothole\"", "\"tarmac\""))).await;
    renewed(&mut bench).await;
    let asphalt = |what: &str| (WorkKind::Incident, json!({ "what": what, "where": "12 Oak Street" }));
    bench.office.near = Some(Arc::new(|words: String| {
        let near = words.contains("full of holes").then(|| "roads".to_owned());
        Box::pin(async move { near })
    }));
    let like = bench.call(&[asphalt("our road is full of holes")]).await;
    bench.work(like).await;
    assert_eq!(bench.passport(like).await.passport.team_id, "roads");
    let unlike = bench.call(&[asphalt("the street light is out")]).await;
    bench.work(unlike).await;
    assert_eq!(bench.passport(unlike).await.passport.team_id, "incident_investigation");
}

/// Goes on so many times.
struct Counted(u32);

impl Pace for Counted {
    async fn go_on(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}
