//! A run as others read it: a table, JUnit, and a folder of pages with sound.

pub mod html;
pub mod junit;
pub mod page;
pub mod svg;
pub mod table;
