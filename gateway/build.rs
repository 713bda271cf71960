//! Makes sure that `console/dist` exists, so that the binary builds without Node.js.

use std::path::Path;
use std::{fs, io};

const PLACEHOLDER: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Quandura Voice</title>\n\
<p>The console was not built into this binary. Run <code>make build</code> and start it again. \
The API and the phone line work without it.</p>\n</html>\n";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=console/dist");
    let dist = Path::new("console/dist");
    let index = dist.join("index.html");
    if !index.exists() {
        fs::create_dir_all(dist)?;
        fs::write(index, PLACEHOLDER)?;
    }
    Ok(())
}
