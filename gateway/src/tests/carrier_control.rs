//! The carrier's REST interface, asked as the gateway asks it.

use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};
use pipeline::provider::retry;
use telephony::call_status::CallProgress;
use telephony::control::{CallControl, CallOrder};
use telephony::document::Document;
use telephony::error::{ControlError, Refusal};
use telephony::twilio::rest::{Account, RestControl};

use super::simulated_carrier::{ACCOUNT, Behaviour, CarrierServer, TOKEN, Trouble};

const LINE: &str = "+12025550100";
const RESIDENT: &str = "+12125550143";

fn control(carrier: &CarrierServer, auth_token: &str) -> RestControl {
    let account =
        Account { sid: ACCOUNT.into(), auth_token: auth_token.into(), address: carrier.address.clone() };
    RestControl::new(account, retry::wait).unwrap()
}

fn order(to: &str) -> CallOrder<'_> {
    CallOrder {
        to,
        from: LINE,
        answer_url: "http://127.0.0.1:1/answer",
        status_url: "http://127.0.0.1:1/status",
        detect_url: None,
        until_greeted: false,
        ring: Duration::from_secs(20),
        limit: Duration::from_secs(600),
    }
}

#[tokio::test]
async fn a_call_is_placed_found_looked_up_and_ended() {
    let carrier = CarrierServer::start().await;
    let control = control(&carrier, TOKEN);
    let since = Utc::now();
    let placed = control.place(&order(RESIDENT)).await.unwrap();
    assert_eq!(placed.status, CallProgress::Queued);
    let form = &carrier.asked("Calls")[0];
    for field in [("To", RESIDENT), ("From", LINE), ("Timeout", "20"), ("StatusCallbackEvent", "answered")] {
        assert!(form.contains(&(field.0.into(), field.1.into())), "{field:?} is not in {form:?}");
    }
    let found = control.find(LINE, RESIDENT, since).await.unwrap().unwrap();
    assert_eq!(found.sid, placed.sid);
    assert_eq!(control.find(LINE, RESIDENT, since + TimeDelta::hours(1)).await.unwrap(), None);
    assert_eq!(control.find(LINE, "+12125550144", since).await.unwrap(), None);
    for _ in 0..100 {
        if control.look_up(&placed.sid).await.unwrap().status == CallProgress::NoAnswer {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(control.look_up(&placed.sid).await.unwrap().status, CallProgress::NoAnswer);
    assert_eq!(control.hang_up(&placed.sid).await, Ok(()), "over already, which is no fault");
    assert_eq!(control.redirect(&placed.sid, &Document::HangUp).await, Err(ControlError::Gone));
    assert_eq!(control.look_up("CA404").await.unwrap_err(), ControlError::Gone);
    assert_eq!(control.dialled_by(&placed.sid).await.unwrap(), None);
}

#[tokio::test]
async fn refusals_name_what_is_wrong() {
    let carrier = CarrierServer::start().await;
    let wrong = control(&carrier, "another token").place(&order(RESIDENT)).await.unwrap_err();
    assert_eq!(wrong, ControlError::Unauthorised);
    assert!(wrong.to_string().contains("auth token"), "{wrong}");
    let control = control(&carrier, TOKEN);
    for (code, why) in [(21211, Refusal::Number), (21610, Refusal::OptedOut), (21215, Refusal::Destination)] {
        carrier.number(RESIDENT, Behaviour::Refused(code));
        let refused = control.place(&order(RESIDENT)).await.unwrap_err();
        assert_eq!(refused, ControlError::Refused { code, why });
        assert!(!refused.to_string().contains("5550143"));
    }
    assert!(matches!(control.place(&order("nobody")).await, Err(ControlError::Refused { code: 21211, .. })));
}

#[tokio::test]
async fn what_is_harmless_is_asked_again_and_a_call_never_placed_twice() {
    let carrier = CarrierServer::start().await;
    let control = control(&carrier, TOKEN);
    carrier.trouble([Trouble::Status(429), Trouble::Status(429)]);
    let placed = control.place(&order(RESIDENT)).await.unwrap();
    assert_eq!(carrier.asked("Calls").len(), 1, "too many is not carried out");
    carrier.trouble([Trouble::Status(503), Trouble::Status(500)]);
    assert_eq!(control.look_up(&placed.sid).await.unwrap().sid, placed.sid);
    for trouble in [Trouble::DoneAnd(500), Trouble::Status(502)] {
        carrier.trouble([trouble]);
        assert_eq!(control.place(&order(RESIDENT)).await.unwrap_err(), ControlError::Unknown);
    }
    assert_eq!(carrier.called().len(), 2, "the one whose answer was lost is there, and no other");
    carrier.trouble([Trouble::Status(429); 8]);
    assert_eq!(control.look_up(&placed.sid).await.unwrap_err(), ControlError::TooMany);
}

#[tokio::test]
async fn a_carrier_that_is_not_there_or_slow_is_not_waited_for() {
    let gone =
        Account { sid: ACCOUNT.into(), auth_token: TOKEN.into(), address: "http://127.0.0.1:1".into() };
    let gone = RestControl::new(gone, retry::wait).unwrap();
    assert_eq!(gone.place(&order(RESIDENT)).await.unwrap_err(), ControlError::Unreachable);
    let carrier = CarrierServer::start().await;
    carrier.trouble([Trouble::Slow(Duration::from_secs(30))]);
    let began = Instant::now();
    let slow = control(&carrier, TOKEN).place(&order(RESIDENT)).await.unwrap_err();
    assert_eq!(slow, ControlError::Unknown);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}
