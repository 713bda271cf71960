//! A data folder that cannot be used says why and what to do, and is left as it was.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use storage::{Directory, NewTenant, Platform, PlatformOptions, Settings, StorageError, TenantId};

const FOLDER: &str = "STORAGE_TEST_READ_ONLY_FOLDER";
const NOBODY: u32 = 65534;

async fn open(folder: &Path) -> Result<Platform, StorageError> {
    Platform::open(PlatformOptions::new(folder)).await
}

/// A folder that was used and closed, with one tenant.
async fn used(folder: &Path) -> TenantId {
    let platform = open(folder).await.unwrap();
    let new = NewTenant { slug: "river".into(), name: "River".into(), timezone: "UTC".into() };
    let id = platform.create_tenant(new).await.unwrap().id;
    platform.tenant(id).await.unwrap().mark_seeded().await.unwrap();
    platform.close().await;
    id
}

fn tells(error: &StorageError, parts: &[&str]) {
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

#[tokio::test]
async fn what_was_written_is_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let id = used(folder.path()).await;
    let platform = open(folder.path()).await.unwrap();
    assert_eq!(platform.store().tenant_by_slug("river").await.unwrap().unwrap().id, id);
    assert!(platform.tenant(id).await.unwrap().seeded().await.unwrap());
}

#[tokio::test]
async fn the_folder_and_its_key_are_for_their_owner_only() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    used(&data).await;
    assert_eq!(fs::metadata(&data).unwrap().mode() & 0o777, 0o700);
    let key = fs::metadata(data.join("master.key")).unwrap();
    assert_eq!((key.mode() & 0o777, key.len()), (0o600, 32));
}

#[tokio::test]
async fn two_servers_can_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path()).await.unwrap();
    let second = open(folder.path()).await.unwrap_err();
    assert!(matches!(second, StorageError::Locked { .. }));
    tells(&second, &[&folder.path().display().to_string(), "another running server", "DATA_DIR"]);
    drop(first);
    open(folder.path()).await.unwrap();
}

#[tokio::test]
async fn a_missing_key_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    used(folder.path()).await;
    let key = folder.path().join("master.key");
    fs::remove_file(&key).unwrap();
    let error = open(folder.path()).await.unwrap_err();
    tells(&error, &["master.key", "missing", "backup"]);
    assert!(!key.exists());
}

#[tokio::test]
async fn a_wrong_key_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    used(folder.path()).await;
    let key = folder.path().join("master.key");
    fs::write(&key, [7; 32]).unwrap();
    tells(&open(folder.path()).await.unwrap_err(), &["master.key", "not the master key"]);
    fs::write(&key, [7; 31]).unwrap();
    tells(&open(folder.path()).await.unwrap_err(), &["master.key", "32 bytes"]);
}

#[tokio::test]
async fn a_key_that_others_can_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    used(folder.path()).await;
    let key = folder.path().join("master.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    let error = open(folder.path()).await.unwrap_err();
    assert!(matches!(error, StorageError::MasterKey { .. }));
    tells(&error, &["master.key", "chmod 600"]);
}

#[tokio::test]
async fn damaged_databases_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let id = used(folder.path()).await;
    let tenant = folder.path().join("tenants").join(format!("{id}.db"));
    fs::write(&tenant, [b'x'; 8192]).unwrap();
    let platform = open(folder.path()).await.unwrap();
    let error = platform.tenant(id).await.unwrap_err();
    assert!(matches!(error, StorageError::Corrupt { .. }), "{error}");
    tells(&error, &[&format!("{id}.db"), "backup"]);
    platform.close().await;
    drop(platform);
    fs::write(folder.path().join("platform.db"), [b'x'; 8192]).unwrap();
    let error = open(folder.path()).await.unwrap_err();
    assert!(matches!(error, StorageError::Corrupt { .. }), "{error}");
    tells(&error, &["platform.db", "backup"]);
}

#[tokio::test]
async fn what_can_not_be_opened_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = open(&file.join("data")).await.unwrap_err();
    assert!(matches!(error, StorageError::CannotOpen { .. }), "{error}");
    tells(&error, &["file/data", "not a directory"]);

    let data = folder.path().join("data");
    fs::create_dir_all(data.join("platform.db")).unwrap();
    fs::write(data.join("master.key"), [7; 32]).unwrap();
    fs::set_permissions(data.join("master.key"), fs::Permissions::from_mode(0o600)).unwrap();
    let error = open(&data).await.unwrap_err();
    assert!(matches!(error, StorageError::CannotOpen { .. }), "{error}");
    tells(&error, &["platform.db", "unable to open"]);
}

#[tokio::test]
async fn data_of_a_newer_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    used(folder.path()).await;
    let options = SqliteConnectOptions::new().filename(folder.path().join("platform.db"));
    let mut raw = options.connect().await.unwrap();
    let newer = "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
                 values (9999, 'later', true, x'00', 0)";
    sqlx::query(newer).execute(&mut raw).await.unwrap();
    raw.close().await.unwrap();
    let error = open(folder.path()).await.unwrap_err();
    assert!(matches!(error, StorageError::NewerSchema { .. }), "{error}");
    tells(&error, &["platform.db", "9999", "upgrade"]);
}

/// Root may write anywhere, so the attempt is made by a child without that right.
#[test]
fn a_folder_without_write_permission_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    // The build may lie where only its owner can go; the child runs a copy that anybody may.
    let open_to_all = tempfile::tempdir().unwrap();
    fs::set_permissions(open_to_all.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = open_to_all.path().join("folder-test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut child = Command::new(&program);
    child.current_dir(open_to_all.path());
    child.args(["--exact", "child_opens_a_read_only_folder", "--ignored", "--nocapture"]);
    child.env(FOLDER, folder.path());
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        child.uid(NOBODY).gid(NOBODY);
    }
    let output = child.output().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("is read-only; give this user write permission"), "{said}");
    assert!(said.contains(&folder.path().display().to_string()), "{said}");
}

#[tokio::test]
#[ignore = "run by a_folder_without_write_permission_is_told"]
async fn child_opens_a_read_only_folder() {
    let error = open(Path::new(&std::env::var(FOLDER).unwrap())).await.unwrap_err();
    assert!(matches!(error, StorageError::ReadOnly { .. }), "{error}");
    println!("{error}");
}
