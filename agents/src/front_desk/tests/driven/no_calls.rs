//! A word against calls is answered by no model.

use pipeline::ports::AfterReply;
use storage::Dials;

use super::super::no_calls::{NUMBER, placed};
use super::*;

#[tokio::test]
async fn a_word_or_a_key_against_calls_is_kept_without_the_model() {
    for input in [Line::said("take me off your list"), TurnInput::Digits { digits: "9".into() }] {
        let mut call = driven().await;
        call.brief.outbound = true;
        placed(&call.office.store, &call.brief).await;
        call.stream = call.office.desk.open(call.brief.clone()).unwrap();
        let heard = call.turn(input).await;
        assert!(heard.text.contains("We will not call you again."), "{}", heard.text);
        assert_eq!(heard.done().1, AfterReply::HangUp);
        assert!(call.office.store.is_do_not_call(NUMBER).await.unwrap());
        assert_eq!(call.model.asked(), 0);
    }
}
