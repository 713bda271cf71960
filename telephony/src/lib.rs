//! The carrier leg of a call: media protocol, pacing, marks and the record of what was heard.
//! Holds encoded audio only and imports nothing else of this workspace.

pub mod media;
