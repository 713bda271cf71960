//! Harness for the integration tests: doubles with known timing, a gateway under test, and a caller.

pub mod caller;
pub mod carrier;
pub mod cut;
pub mod desk;
pub mod doubles;
pub mod gateway;
pub mod home;
pub mod sounds;
pub mod vendors;
