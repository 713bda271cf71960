//! The run as JUnit XML, for whatever runs tests.

use std::time::Duration;

use anyhow::Context;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestRerun, TestSuite};

use crate::scenario::figures::{Held, Outcome, Run};

/// The document.
///
/// # Errors
/// It cannot be written as XML.
pub fn xml(run: &Run) -> anyhow::Result<String> {
    let mut report = Report::new("quandura test");
    let mut suite = TestSuite::new("scenarios");
    suite.set_time(Duration::from_secs_f64(run.seconds.max(0.0)));
    for held in &run.scenarios {
        suite.add_test_case(case(held));
    }
    report.add_test_suite(suite);
    report.to_string().context("the run cannot be written as JUnit")
}

fn case(held: &Held) -> TestCase {
    let wrong: Vec<String> = held
        .findings
        .iter()
        .map(|finding| match finding.line {
            Some(line) => format!("{}, line {line}: {}", held.file, finding.what),
            None => finding.what.clone(),
        })
        .collect();
    let status = match held.outcome {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Flaky => {
            let mut status = TestCaseStatus::success();
            let mut failed = TestRerun::new(NonSuccessKind::Failure);
            failed.set_message(held.earlier.first().map_or("failed", |finding| finding.what.as_str()));
            status.add_rerun(failed);
            status
        }
        Outcome::KnownFailure => {
            let mut status = TestCaseStatus::skipped();
            status
                .set_message(format!("known failure: {}", held.known_failure.as_deref().unwrap_or_default()));
            status
        }
        Outcome::Failed | Outcome::Mended => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let first = wrong.first().map_or(held.outcome.name(), String::as_str);
            status.set_message(first).set_description(wrong.join("\n"));
            status
        }
    };
    let mut case = TestCase::new(held.id.clone(), status);
    case.set_classname("scenarios").set_time(Duration::from_secs_f64(held.seconds.max(0.0)));
    let words = held.transcript.iter().map(|turn| format!("{}: {}", turn.speaker, turn.heard()));
    case.set_system_out(words.collect::<Vec<_>>().join("\n"));
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::report::page::tests::run;

    #[test]
    fn failures_and_known_failures_are_told_apart_and_everything_is_escaped() {
        let xml = xml(&run()).unwrap();
        assert!(xml.contains("tests=\"3\"") && xml.contains("failures=\"1\""), "{xml}");
        assert!(xml.contains("known failure: it cannot &lt;yet>") || xml.contains("&lt;yet&gt;"), "{xml}");
        assert!(!xml.contains("<script>"), "{xml}");
    }
}
