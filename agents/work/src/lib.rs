//! What to do: the work that a call asks for and leaves, and who does it.
//!
//! A work item is a [`passport`], from a call's first word to its last review. In go what was said, filed and found; out come
//! entries of its ledger, filed items and effects, each in one transaction, under a key. [`tools`] are what a model, or over
//! MCP a program ([`clerk`]), may ask for, as far as its [`authority`] goes. After the call the [`office`] routes the Passport
//! to a team of the [`department`] ([`teams`] are data; [`hub`] is who may see and tell what, by [`contracts`]); the [`review`]
//! learns from it: [`calibration`] of agents, precedents of the [`organisation`], facts for [`memory`] to admit.
//!
//! Begin with [`passport::Passport`], then [`office::Office::work`] and [`tools::read`].

pub mod authority;
pub mod calibration;
pub mod clerk;
pub mod contracts;
pub mod department;
pub mod hub;
pub mod memory;
pub mod office;
pub mod organisation;
pub mod passport;
pub mod placed;
pub mod review;
pub mod teams;
pub mod tools;
