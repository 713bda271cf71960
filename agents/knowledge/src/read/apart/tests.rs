#![allow(clippy::unwrap_used)]

use flate2::{Compress, Compression, FlushCompress};

use super::super::tests::{CATALOG, FONT, PAGE, PAGES, file, page, stream};
use super::super::{HTML, PDF, receive};
use super::*;

/// The test program itself, at one of the tests that are children.
fn apart(child: &str) -> Apart {
    let name = format!("read::apart::tests::{child}");
    let arguments = [&*name, "--exact", "--ignored", "--nocapture"].map(OsString::from);
    Apart::new(std::env::current_exe().unwrap(), arguments.to_vec())
}

#[test]
#[ignore = "a child of other tests"]
fn reads() {
    child().unwrap();
}

#[test]
#[ignore = "a child of other tests"]
fn tries_to_get_out() {
    confine().unwrap();
    let opened = std::fs::File::open("/dev/null").is_ok();
    let connected = std::net::UdpSocket::bind("127.0.0.1:0").is_ok();
    let allocated = Vec::<u8>::new().try_reserve_exact(MEMORY as usize).is_ok();
    let text = format!("opened {opened}, connected {connected}, allocated {allocated}");
    let told: Result<Told, ReadError> = Ok(Told { text, title: None, media_type: PDF.to_owned(), hidden: 0 });
    println!("{MARK}{}", serde_json::to_string(&told).unwrap());
}

fn received(bytes: Vec<u8>) -> Received {
    Received { bytes, declared: None }
}

#[tokio::test]
async fn a_file_is_read_apart_as_it_is_here() {
    let bytes = page("BT /F1 12 Tf 72 700 Td (Fees: $45 \\\\(d\\351ck\\\\)) Tj ET");
    let here = Apart::here().read(received(bytes.clone())).await.unwrap();
    assert_eq!(here.media_type, PDF);
    assert_eq!(apart("reads").read(received(bytes)).await, Ok(here));
    let broken = apart("reads").read(received(b"%PDF-1.7 nothing".to_vec())).await;
    assert!(matches!(broken, Err(ReadError::Broken(_))), "{broken:?}");
    // Text needs no process.
    let html = receive("<html><p>a", Some(HTML)).unwrap();
    assert_eq!(Apart::new("/nonexistent".into(), Vec::new()).read(html).await.unwrap().text, "a");
}

#[tokio::test]
async fn a_process_apart_reaches_nothing() {
    let told = apart("tries_to_get_out").read(received(page(""))).await.unwrap();
    assert_eq!(told.text, "opened false, connected false, allocated false");
}

#[tokio::test]
async fn a_bomb_costs_one_document() {
    // Two gigabytes of blanks: one block over and over.
    let mut block = Vec::with_capacity(1 << 20);
    let blanks = vec![b' '; 16 << 20];
    Compress::new(Compression::best(), false).compress_vec(&blanks, &mut block, FlushCompress::Full).unwrap();
    let bomb = [b"\x78\x01".to_vec(), block.repeat(128)].concat();
    let bytes = file(&[CATALOG, PAGES, PAGE, &stream("/Filter /FlateDecode", &bomb), FONT], "");
    let bombed = apart("reads").read(received(bytes)).await;
    assert!(matches!(bombed, Err(ReadError::Bomb(_) | ReadError::Scanned)), "{bombed:?}");
}

#[tokio::test]
async fn a_process_that_cannot_begin_or_falls_is_told_apart() {
    let bytes = page("BT (a) Tj ET");
    let missing = Apart::new("/nonexistent".into(), Vec::new()).read(received(bytes.clone())).await;
    assert!(matches!(missing, Err(ReadError::NoReader(_))));
    let fallen = Apart::new("/bin/false".into(), Vec::new()).read(received(bytes)).await;
    assert_eq!(fallen, Err(ReadError::Bomb("memory or time".into())));
}
