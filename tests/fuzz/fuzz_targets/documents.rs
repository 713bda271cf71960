//! Any bytes at all as a document of each kind: a reader may refuse them, and must not panic or go on for long.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for kind in [None, Some("text/html"), Some("text/csv"), Some("application/pdf"), Some("application/rtf")] {
        drop(knowledge::read::read_bytes(data, kind));
    }
    let rtf = [b"{\\rtf1 ".as_slice(), data].concat();
    drop(knowledge::read::read_bytes(&rtf, None));
    let pdf = [b"%PDF-1.7\n".as_slice(), data].concat();
    drop(knowledge::read::read_bytes(&pdf, Some("application/pdf")));
});
