//! The second carrier: what its routes believe and refuse, a whole call over its wire, and a call that the agent places.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use telephony::encoding::push_payload;
use telephony::telnyx::signature::PublicKey;
use tokio::time::timeout;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

use super::outreach::{Desk, YES, desk_at};
use super::simulated_carrier::telnyx::{API_KEY, APPLICATION, headers, public_key};
use super::simulated_carrier::{ACCOUNT, Behaviour, Callbacks, CarrierServer, Plays, Talk, Trouble};
use super::whole_calls::{ADMIN, ended, get};
use crate::config::Config;
use crate::config::carrier::Name;
use crate::simulated::TestGateway;
use caller::order::{self, Order};

const LINE: &str = "+12025550100";
const CALL: &str = "v3:9X2vxPDFY2RHSJ1EdMS0RHRksMTg7ldNxdjWbVr9zBjbGjGsSe-aiQ";

fn at_telnyx(config: &mut Config) {
    config.carrier.name = Name::Telnyx;
    config.carrier.telnyx.public_key = PublicKey::parse(&public_key());
    config.admin_token = Some(ADMIN.to_owned().into());
}

async fn gateway() -> TestGateway {
    TestGateway::start(at_telnyx).await
}

fn form(call: &str, to: &str, more: &[(&str, &str)]) -> String {
    let fields = [("AccountSid", ACCOUNT), ("CallSid", call), ("From", "+12025550143"), ("To", to)];
    serde_urlencoded::to_string(fields.iter().chain(more).collect::<Vec<_>>()).unwrap()
}

fn with(request: RequestBuilder, headers: [(&'static str, String); 2]) -> RequestBuilder {
    headers.into_iter().fold(request, |request, (name, value)| request.header(name, value))
}

/// A callback, signed so many seconds ago.
fn signed(test: &TestGateway, path: &str, body: &str, ago_s: i64) -> RequestBuilder {
    let request = Client::new().post(test.url(path)).body(body.to_owned());
    with(request.header("content-type", "application/x-www-form-urlencoded"), headers(body, ago_s))
}

async fn status_of(request: RequestBuilder) -> StatusCode {
    request.send().await.unwrap().status()
}

#[tokio::test]
async fn only_what_the_carrier_signed_lately_is_believed() {
    let test = gateway().await;
    let body = form(CALL, LINE, &[("CallStatus", "ringing")]);
    assert_eq!(status_of(signed(&test, "/telnyx/voice", &body, 0)).await, StatusCode::OK);
    for (what, request) in [
        ("stale", signed(&test, "/telnyx/voice", &body, 301)),
        // With room for a machine that takes seconds to send it.
        ("ahead", signed(&test, "/telnyx/voice", &body, -360)),
        ("altered", signed(&test, "/telnyx/voice", &body, 0).body(body.replace("0143", "0144"))),
        ("unsigned", Client::new().post(test.url("/telnyx/voice")).body(body.clone())),
        ("no time", {
            let [signature, _] = headers(&body, 0);
            Client::new().post(test.url("/telnyx/voice")).header(signature.0, signature.1).body(body.clone())
        }),
        ("a GET", with(Client::new().get(test.url(&format!("/telnyx/voice?{body}"))), headers(&body, 0))),
        ("garbage", {
            let [(name, _), time] = headers(&body, 0);
            with(
                Client::new().post(test.url("/telnyx/voice")).body(body.clone()),
                [(name, "AAAA".to_owned()), time],
            )
        }),
    ] {
        assert_eq!(status_of(request).await, StatusCode::FORBIDDEN, "{what}");
    }
    let empty = signed(&test, "/telnyx/voice", "To=%2B12025550100", 0);
    assert_eq!(status_of(empty).await, StatusCode::BAD_REQUEST, "no call is named");
}

#[tokio::test]
async fn a_gateway_serves_its_own_carrier_alone() {
    let (telnyx, twilio) = (gateway().await, TestGateway::start(|_| {}).await);
    let body = form(CALL, LINE, &[]);
    for (test, path) in [(&telnyx, "/twilio/voice"), (&twilio, "/telnyx/voice"), (&telnyx, "/twilio/status")]
    {
        let answer = signed(test, path, &body, 0).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        let told: Value = answer.json().await.unwrap();
        assert!(told["suggested_action"].as_str().unwrap().contains("this gateway's carrier is"), "{told}");
    }
}

async fn rings(test: &TestGateway, call: &str) -> (String, Vec<(String, String)>) {
    let body = form(call, LINE, &[("CallStatus", "ringing")]);
    let document = signed(test, "/telnyx/voice", &body, 0).send().await.unwrap().text().await.unwrap();
    let Order::Stream { url, parameters } = order::read(&document).unwrap() else { panic!("{document}") };
    (url, parameters)
}

/// Opens a stream, speaks until something was heard and for a second more, and ends it. Bytes of media, or how it was closed.
async fn talk(url: &str, parameters: Vec<(String, String)>, call: &str) -> Result<usize, Option<u16>> {
    let (mut socket, _) = connect_async(url).await.unwrap();
    let stream = "32DE0DEA-53CB-4B21-89A4-9E1819C043BC";
    let parameters: Value = parameters.into_iter().map(|(name, value)| (name, json!(value))).collect();
    let text = |message: Value| Message::text(message.to_string());
    socket.send(text(json!({"event": "connected", "version": "1.0.0"}))).await.unwrap();
    let start = json!({"event": "start", "sequence_number": "1", "stream_id": stream, "start": {
        "user_id": ACCOUNT, "call_control_id": call, "client_state": null, "custom_parameters": parameters,
        "media_format": {"encoding": "PCMU", "sample_rate": 8000, "channels": 1}}});
    socket.send(text(start)).await.unwrap();
    let (mut heard, mut silent, mut clock) = (0, 0, tokio::time::interval(Duration::from_millis(20)));
    for chunk in 1..500_u32 {
        clock.tick().await;
        let mut payload = String::new();
        push_payload(&mut payload, &[0xFF; 160]);
        let media = json!({"track": "inbound", "chunk": chunk.to_string(), "timestamp": (chunk * 20).to_string(),
            "payload": payload});
        let message = json!({"event": "media", "sequence_number": (chunk + 1).to_string(), "media": media,
            "stream_id": stream});
        if socket.send(text(message)).await.is_err() {
            break;
        }
        silent += 1;
        while let Ok(Some(Ok(message))) = timeout(Duration::from_millis(1), socket.next()).await {
            let Message::Text(told) = message else {
                let Message::Close(frame) = message else { continue };
                return Err(frame.map(|frame| frame.code.into()));
            };
            let mut told: Value = serde_json::from_str(&told).unwrap();
            match told["event"].as_str() {
                Some("media") => {
                    heard += told["media"]["payload"].as_str().unwrap().len() * 3 / 4;
                    silent = 0;
                }
                Some("mark") => {
                    told["stream_id"] = stream.into();
                    socket.send(text(told)).await.unwrap();
                }
                _ => {}
            }
        }
        if heard > 0 && silent > 50 {
            break;
        }
    }
    let stop =
        json!({"event": "stop", "stream_id": stream, "stop": {"user_id": ACCOUNT, "call_control_id": call}});
    socket.send(text(stop)).await.unwrap();
    Ok(heard)
}

#[tokio::test]
async fn a_call_is_greeted_over_its_wire_and_ends_however_often_it_is_told() {
    let test = gateway().await;
    let (url, parameters) = rings(&test, CALL).await;
    assert_eq!(url, test.url("/telnyx/media").replacen("http", "ws", 1));
    // Carriers repeat webhooks: it is the same call.
    let (_, again) = rings(&test, CALL).await;
    assert_ne!(again, parameters, "each start has a token of its own");
    let heard = talk(&url, again, CALL).await.unwrap();
    assert!(heard > 3_000, "{heard} bytes of a greeting");
    let call = ended(&test, CALL).await;
    assert_eq!(call["end_reason"], "caller_hung_up", "{call}");
    let over =
        form(CALL, LINE, &[("CallStatus", "completed"), ("CallDuration", "7"), ("SequenceNumber", "3")]);
    let late = form(CALL, LINE, &[("CallStatus", "ringing"), ("SequenceNumber", "1")]);
    for body in [&over, &over, &late] {
        assert_eq!(status_of(signed(&test, "/telnyx/status", body, 0)).await, StatusCode::NO_CONTENT);
    }
    let resume = signed(&test, "/telnyx/resume", &form(CALL, LINE, &[]), 0).send().await.unwrap();
    assert!(resume.text().await.unwrap().ends_with("<Response><Hangup/></Response>"));
    assert_eq!(get(&test, &format!("/v1/calls/{CALL}")).await["end_reason"], "caller_hung_up");
    let calls = get(&test, "/v1/calls").await;
    assert_eq!(calls["items"].as_array().unwrap().len(), 1, "{calls}");
}

#[tokio::test]
async fn a_stream_without_the_calls_own_token_is_closed() {
    let test = gateway().await;
    let (url, parameters) = rings(&test, CALL).await;
    for (call, parameters) in [
        (CALL, vec![]),
        (CALL, vec![("token".to_owned(), "a.b".to_owned())]),
        ("v3:another", parameters.clone()),
    ] {
        assert_eq!(talk(&url, parameters, call).await, Err(Some(1008)), "{call}");
    }
    assert!(talk(&url, parameters, CALL).await.is_ok(), "its own token was not used up");
}

fn brief_talk() -> Talk {
    Arc::new(|url, parameters, call| {
        Box::pin(async move {
            let _ = talk(&url, parameters, &call).await;
        })
    })
}

async fn desk() -> Desk {
    let carrier = CarrierServer::start_as(Plays::Telnyx).await;
    let address = carrier.address.clone();
    let desk = desk_at(carrier, |config| {
        config.carrier.name = Name::Telnyx;
        let account = &mut config.carrier.telnyx;
        account.account_id = Some(ACCOUNT.into());
        account.api_key = Some(API_KEY.into());
        account.application_id = Some(APPLICATION.into());
        account.public_key = PublicKey::parse(&public_key());
        account.address = address;
    })
    .await;
    desk.carrier.talk(brief_talk());
    desk
}

#[tokio::test]
async fn whom_the_agent_calls_talks_with_it() {
    let desk = desk().await;
    let call = desk.over("+12125550143", YES).await;
    assert_eq!(call["end_reason"], "caller_hung_up", "{call}");
    assert_eq!(desk.result(call["id"].as_str().unwrap()).await, "reached");
    let form = &desk.carrier.asked("Calls")[0];
    let value = |name: &str| form.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
    assert_eq!((value("To"), value("From")), (Some("+12125550143"), Some(LINE)));
    assert!(value("Url").unwrap().contains("/telnyx/outreach/"), "{form:?}");
    let followed = desk.carrier.followed().join("\n");
    assert!(
        followed.contains("<Gather input=\"dtmf speech\"") && followed.contains("bidirectionalMode=\"rtp\"")
    );
    assert_eq!(desk.carrier.called().len(), 1);
}

#[tokio::test]
async fn every_end_is_on_record_in_whatever_order_it_is_told() {
    for callbacks in [Callbacks::InOrder, Callbacks::Doubled, Callbacks::Backwards] {
        let desk = desk().await;
        desk.carrier.callbacks(callbacks);
        for (number, behaviour, result) in [
            ("+12125550144", Behaviour::Busy, "busy"),
            ("+12125550145", Behaviour::NoAnswer, "no_answer"),
            ("+12125550146", Behaviour::Failed, "failed"),
        ] {
            let call = desk.over(number, behaviour).await;
            assert_eq!(desk.result(call["id"].as_str().unwrap()).await, result, "{callbacks:?} {call}");
        }
    }
}

#[tokio::test]
async fn a_refusal_or_a_silent_carrier_places_no_second_call() {
    let desk = desk().await;
    let number = "+12125550147";
    desk.agreed(number).await;
    desk.carrier.number(number, Behaviour::Busy);
    desk.carrier.trouble([Trouble::DoneAnd(500)]);
    let (status, placed) = desk.call(number).await;
    assert_eq!(status, StatusCode::CREATED, "{placed}");
    desk.ended(placed["id"].as_str().unwrap()).await;
    assert_eq!(desk.carrier.called().len(), 1);
    let refused = "+12125550148";
    desk.agreed(refused).await;
    desk.carrier.number(refused, Behaviour::Refused(10_015));
    let (status, told) = desk.call(refused).await;
    assert!(!status.is_success() && told.to_string().contains("10015"), "{status} {told}");
    assert_eq!(desk.carrier.called().len(), 1);
}
