//! Why a simulated call failed, in words that hold nothing of the caller.

use crate::dial::Refusal;
use crate::order::Order;
use crate::socket::NotOpened;

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("the gateway does not answer")]
    Unreachable,
    #[error("the webhook answered with status {0}")]
    Webhook(u16),
    #[error("the gateway answered with words instead of a stream")]
    Declined,
    #[error("the gateway is busy")]
    Busy,
    #[error("the stream was refused with status {0}")]
    StreamRefused(u16),
    #[error("the stream did not open")]
    NotOpened,
    #[error("the gateway closed the stream with code {0}")]
    Closed(u16),
    #[error("the gateway hung up before the caller had said everything")]
    CutShort,
    #[error("the stream broke")]
    Broken,
    #[error("the gateway did not take our audio for 10 s")]
    Blocked,
    #[error("the gateway sent what is no message of a media stream")]
    NotUnderstood,
    #[error("nothing was heard")]
    Silent,
    #[error("the simulated caller crashed")]
    Crashed,
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unreachable(_) => Self::Unreachable,
            Refusal::Status { status, .. } => Self::Webhook(status),
            Refusal::NotUnderstood(_) => Self::NotUnderstood,
        }
    }
}

impl From<NotOpened> for Failure {
    fn from(error: NotOpened) -> Self {
        match error {
            NotOpened::Refused { status, .. } => Self::StreamRefused(status),
            NotOpened::NoAddress(_) | NotOpened::Failed { .. } | NotOpened::Silent(_) => Self::NotOpened,
        }
    }
}

/// The stream that an order asks for: its address and parameters.
///
/// # Errors
/// When it asks for something else.
pub fn stream_of(order: Order) -> Result<(String, Vec<(String, String)>), Failure> {
    match order {
        Order::Stream { url, parameters } => Ok((url, parameters)),
        Order::Say(_) => Err(Failure::Declined),
        Order::HangUp => Err(Failure::Busy),
    }
}
