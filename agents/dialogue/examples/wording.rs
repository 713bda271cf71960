//! Prints the table of all that the line says: `cargo run -p dialogue --example wording > docs/wording.md`.

use dialogue::builtin::{Script, wording};
use pipeline::ports::Language;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (english, spanish) = (Script::front_desk(Language::En)?, Script::front_desk(Language::Es)?);
    print!("{}", wording::table(english, spanish)?);
    Ok(())
}
