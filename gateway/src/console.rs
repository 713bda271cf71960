//! The operator's console: its built files, embedded in the binary.

pub mod assets;
