#![allow(clippy::unwrap_used)] // tests

use std::fs;
use std::sync::Arc;

use super::RecordingKey;
use super::files::{RecordingFile, RecordingFiles};
use crate::crypto::random_key;
use crate::ids::{CallId, TenantId};

fn fixture() -> (tempfile::TempDir, RecordingFiles, TenantId, CallId, Arc<RecordingKey>) {
    let dir = tempfile::tempdir().unwrap();
    let (files, call) = (RecordingFiles::new(dir.path()), CallId::new());
    let key = Arc::new(RecordingKey::new(call, &random_key()));
    (dir, files, TenantId::new(), call, key)
}

fn segments(files: &RecordingFiles, tenant: TenantId, call: CallId, key: &RecordingKey) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    files.read_live(tenant, call, key, |segment| all.push(segment.to_vec())).unwrap();
    all
}

#[test]
fn what_a_kill_cut_off_is_left_out_and_all_before_it_is_there() {
    let (dir, files, tenant, call, key) = fixture();
    let mut live = files.begin(tenant, call, 0, key.clone()).unwrap();
    for segment in [b"one".as_slice(), b"two", b"three"] {
        live.append(segment).unwrap();
    }
    live.sync().unwrap();
    // The same call under another stream, after the process was killed.
    files.begin(tenant, call, 5_000, key.clone()).unwrap().append(b"later").unwrap();
    let path = dir.path().join(format!("recordings/{tenant}/{call}/000000000000.live"));
    let whole = fs::read(&path).unwrap();
    assert!(!whole.windows(3).any(|bytes| bytes == b"two"), "sealed");
    fs::write(&path, &whole[..whole.len() - 2]).unwrap();
    assert_eq!(segments(&files, tenant, call, &key), [b"one".to_vec(), b"two".to_vec(), b"later".to_vec()]);
    assert!(files.begin(tenant, call, 0, key.clone()).is_err(), "nothing is written over");
    files.remove_live(tenant, call).unwrap();
    assert!(segments(&files, tenant, call, &key).is_empty());
}

#[test]
fn pieces_cannot_be_swapped_and_another_key_opens_nothing() {
    let (dir, files, tenant, call, key) = fixture();
    let mut live = files.begin(tenant, call, 0, key.clone()).unwrap();
    live.append(b"one").unwrap();
    live.append(b"two").unwrap();
    let path = dir.path().join(format!("recordings/{tenant}/{call}/000000000000.live"));
    let whole = fs::read(&path).unwrap();
    let (first, second) = whole.split_at(whole.len() / 2);
    fs::write(&path, [second, first].concat()).unwrap();
    assert!(segments(&files, tenant, call, &key).is_empty());
    let other = RecordingKey::new(call, &random_key());
    fs::write(&path, whole).unwrap();
    assert!(segments(&files, tenant, call, &other).is_empty());
}

#[test]
fn what_is_kept_comes_back_whole_or_not_at_all() {
    let (dir, files, tenant, call, key) = fixture();
    let sound: Vec<u8> = (0..200_000_u32).map(|n| (n % 251) as u8).collect();
    files.keep(tenant, call, RecordingFile::Sound, &key, &sound).unwrap();
    assert_eq!(*files.kept(tenant, call, RecordingFile::Sound, &key).unwrap(), sound);
    let path = dir.path().join(format!("recordings/{tenant}/{call}/call.opus"));
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..140_000]).unwrap();
    assert!(files.kept(tenant, call, RecordingFile::Sound, &key).is_err());
    assert!(files.remove(tenant, call).unwrap() > 0);
    assert_eq!(files.remove(tenant, call).unwrap(), 0);
    assert!(files.kept(tenant, call, RecordingFile::Sound, &key).is_err());
}
