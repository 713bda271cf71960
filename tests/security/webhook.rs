//! Who may ask what to do with a call.

use std::collections::HashMap;

use gateway::config::Config;
use telephony::twilio::signature::sign;
use tests::caller::{call_sid, webhook};
use tests::gateway::{Doubles, LINE, TestGateway};

#[tokio::test]
async fn an_unknown_number_gets_an_apology_and_a_hang_up() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let (status, twiml) = webhook(&gateway.base, "+12025550199", &call_sid()).await.unwrap();
    assert_eq!(status, 200);
    assert!(twiml.contains("<Say") && twiml.contains("<Hangup") && !twiml.contains("<Stream"), "{twiml}");
    gateway.running.shutdown().await;
}

#[tokio::test]
async fn unsigned_mode_refuses_what_came_through_a_proxy() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let sid = call_sid();
    for header in ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host"] {
        let answer = reqwest::Client::new()
            .post(format!("{}/twilio/voice", gateway.base))
            .header(header, "198.51.100.7")
            .form(&[("CallSid", sid.as_str()), ("To", LINE), ("From", "+12025550147")])
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 403, "{header}");
    }
    gateway.running.shutdown().await;
}

#[tokio::test]
async fn signed_mode_takes_the_right_signature_and_no_other() {
    let dir = std::sync::Arc::new(tempfile::tempdir().unwrap());
    let env = HashMap::from([("TWILIO_AUTH_TOKEN", "0123456789abcdef0123456789abcdef")]);
    let mut config = Config::from_text("", "none", &|name| env.get(name).map(|v| (*v).to_owned())).unwrap();
    let base = Config::for_test(dir.path());
    (config.bind, config.data_dir, config.models_dir) = (base.bind, base.data_dir, base.models_dir);
    let gateway = TestGateway::start_configured(dir, config, Doubles::default()).await.unwrap();
    let url = format!("{}/twilio/voice", gateway.base);
    let sid = call_sid();
    let form: Vec<(String, String)> = [("CallSid", sid.as_str()), ("To", LINE), ("From", "+12025550147")]
        .map(|(k, v)| (k.into(), v.into()))
        .into();
    let right = sign(&"0123456789abcdef0123456789abcdef".to_owned().into(), &url, &form);
    let wrong = sign(&"another token".to_owned().into(), &url, &form);
    for (signature, status) in
        [(Some(right), 200), (Some(wrong), 403), (Some("!!!".into()), 403), (None, 403)]
    {
        let mut request = reqwest::Client::new().post(&url).form(&form);
        if let Some(signature) = &signature {
            request = request.header("X-Twilio-Signature", signature);
        }
        assert_eq!(request.send().await.unwrap().status(), status, "{signature:?}");
    }
    gateway.running.shutdown().await;
}

#[tokio::test]
async fn api_needs_a_token_and_gives_nothing_without() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    for path in ["/v1/calls", "/v1/events", "/v1/work-items", "/v1/calls/CA0/transcript", "/v1/record"] {
        for token in ["", "wrong", "Bearer"] {
            let answer = reqwest::Client::new()
                .get(format!("{}{path}", gateway.base))
                .bearer_auth(token)
                .send()
                .await
                .unwrap();
            assert_eq!(answer.status(), 401, "{path} with {token:?}");
        }
    }
    gateway.running.shutdown().await;
}
