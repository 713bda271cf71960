//! What the carrier's routes believe and refuse.

use reqwest::{Client, StatusCode};
use secrecy::SecretString;
use telephony::twilio::form;
use telephony::twilio::signature::{SIGNATURE_HEADER, sign};

use crate::simulated::TestGateway;
use caller::order::{self, Order};
use telephony::call_status::VoiceRequest;

fn arrival(to: &str) -> Vec<(String, String)> {
    let request = VoiceRequest {
        call_sid: "CA00000000000000000000000000000002".to_owned(),
        account_sid: "AC00000000000000000000000000000001".to_owned(),
        from: Some("+12025550143".to_owned()),
        to: to.to_owned(),
    };
    form::ringing(&request)
}

const KEY: &str = "0123456789abcdef0123456789abcdef";

async fn signed_gateway() -> TestGateway {
    TestGateway::start(|config| {
        config.carrier.twilio.auth_token = Some(SecretString::from(KEY));
        config.public_url = Some("https://gw.example.com".parse().unwrap());
    })
    .await
}

#[tokio::test]
async fn a_call_to_the_demo_line_is_connected_to_a_stream_on_the_public_address() {
    let test = TestGateway::start(|_| {}).await;
    let answer =
        Client::new().post(test.url("/twilio/voice")).form(&arrival("+12025550100")).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert!(answer.headers()["content-type"].to_str().unwrap().starts_with("text/xml"));
    let body = answer.text().await.unwrap();
    assert!(body.contains(&format!("action=\"{}\"", test.url("/twilio/resume"))), "{body}");
    let Order::Stream { url, parameters } = order::read(&body).unwrap() else { panic!("{body}") };
    assert_eq!(url, test.url("/twilio/media").replacen("http", "ws", 1));
    assert_eq!(parameters[0].0, "token");
}

#[tokio::test]
async fn an_unknown_number_hears_an_apology() {
    let test = TestGateway::start(|_| {}).await;
    let answer =
        Client::new().post(test.url("/twilio/voice")).form(&arrival("+12025559999")).send().await.unwrap();
    let order = order::read(&answer.text().await.unwrap()).unwrap();
    assert!(matches!(order, Order::Say(text) if text.contains("not in service")));
}

#[tokio::test]
async fn signed_mode_believes_the_carriers_signature_and_nothing_else() {
    let test = signed_gateway().await;
    let form = arrival("+12025550100");
    let signature = sign(&SecretString::from(KEY), "https://gw.example.com/twilio/voice", &form);
    let http = Client::new();
    let post = |signature: Option<&str>| {
        let request = http.post(test.url("/twilio/voice")).form(&form);
        match signature {
            Some(signature) => request.header(SIGNATURE_HEADER, signature),
            None => request,
        }
    };
    let good = post(Some(&signature)).send().await.unwrap();
    assert_eq!(good.status(), StatusCode::OK);
    let body = good.text().await.unwrap();
    assert!(body.contains("wss://gw.example.com/twilio/media"), "{body}");
    for bad in [None, Some("AAAA"), Some("2laWib2PGTOw4kqvhVC1XocvOqI=")] {
        assert_eq!(post(bad).send().await.unwrap().status(), StatusCode::FORBIDDEN, "{bad:?}");
    }
    let upgrade = http.get(test.url("/twilio/media")).send().await.unwrap();
    assert_eq!(upgrade.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn unsigned_mode_refuses_relays_other_sites_and_public_addresses() {
    let test = TestGateway::start(|_| {}).await;
    let http = Client::new();
    for (name, value) in [
        ("x-forwarded-for", "203.0.113.9"),
        ("forwarded", "for=203.0.113.9"),
        ("origin", "https://evil.example"),
    ] {
        let request = http.post(test.url("/twilio/voice")).form(&arrival("+12025550100")).header(name, value);
        assert_eq!(request.send().await.unwrap().status(), StatusCode::FORBIDDEN, "{name}");
    }
    let rebound =
        http.post(test.url("/twilio/voice")).form(&arrival("+12025550100")).header("host", "evil.example");
    assert_eq!(rebound.send().await.unwrap().status(), StatusCode::MISDIRECTED_REQUEST);
    let public =
        TestGateway::start(|config| config.public_url = Some("https://gw.example.com".parse().unwrap()))
            .await;
    let request = http.post(public.url("/twilio/voice")).form(&arrival("+12025550100"));
    assert_eq!(request.send().await.unwrap().status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn one_number_may_not_call_without_end() {
    let test = TestGateway::start(|config| config.limits.calls_per_number_per_minute = Some(2)).await;
    let http = Client::new();
    let mut orders = Vec::new();
    for _ in 0..3 {
        let answer =
            http.post(test.url("/twilio/voice")).form(&arrival("+12025550100")).send().await.unwrap();
        orders.push(order::read(&answer.text().await.unwrap()).unwrap());
    }
    assert!(matches!(orders[1], Order::Stream { .. }));
    assert_eq!(orders[2], Order::HangUp);
}

#[tokio::test]
async fn webhooks_that_make_no_sense_are_told_so() {
    let test = TestGateway::start(|_| {}).await;
    let http = Client::new();
    let empty = http.post(test.url("/twilio/voice")).form(&[("To", "+12025550100")]).send().await.unwrap();
    assert_eq!(empty.status(), StatusCode::BAD_REQUEST);
    let huge = vec![("To", "x".repeat(100_000))];
    let huge = http.post(test.url("/twilio/voice")).form(&huge).send().await.unwrap();
    assert_eq!(huge.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let unknown = http.post(test.url("/twilio/resume")).form(&arrival("+12025550100")).send().await.unwrap();
    let order = order::read(&unknown.text().await.unwrap()).unwrap();
    assert!(
        matches!(order, Order::Say(text) if text.contains("technical fault") && !text.contains("is kept"))
    );
}
