//! Whole calls over the real wire, with engines whose timing is known.
#![allow(clippy::unwrap_used)]

mod cloud;
mod conversation;
mod echo;
mod endings;
mod events;
mod front_desk;
mod memory;
mod postgres;
mod replay;
mod second_county;
mod two_gateways;
