//! A PostgreSQL server of the tests' own, on a socket in a temporary folder, run by an ordinary user and synced to disk
//! as in production. Not a test by itself: test files include it.
//!
//! [`Cluster::shared`] is started by whichever test comes first and used by all, of every process. Each process holds a
//! shared lock on `users.lock` for as long as it lives, however it ends; a watcher stops the server once nobody has
//! held it for some seconds. [`Cluster::own`] is for tests that stop their server: it ends with the test, and is
//! watched too in case the test is killed.
#![allow(dead_code)] // no test file uses all of it

pub mod crowd;
mod standby;

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// PostgreSQL refuses to run as root; then this user runs it.
const NOBODY: u32 = 65534;
const DEBIAN: &str = "/usr/lib/postgresql";
const MISSING: &str = "PostgreSQL 15 or newer is not installed here, and these tests need it; run: \
     scripts/install.sh test (or: apt-get install postgresql)";

const SETTINGS: &str = "
listen_addresses = ''
max_connections = 600
shared_buffers = 64MB
fsync = on
synchronous_commit = on
full_page_writes = on
timezone = 'Pacific/Kiritimati'
";

/// Stops a server when nobody has used it for three looks. `$1`: the folder.
const WATCHER: &str = r#"
cd "$1" || exit
exec 8>watch.lock 9>users.lock
flock -n 8 || exit 0
idle=0
while [ "$idle" -lt 3 ]; do
    sleep 2
    if flock -n -x 9; then
        idle=$((idle + 1))
        [ "$idle" -ge 3 ] || flock -u 9
    else
        idle=0
    fi
done
[ ! -e data/postmaster.pid ] || kill -QUIT "$(head -n 1 data/postmaster.pid)"
tries=0
while [ -e data/postmaster.pid ] && [ "$tries" -lt 50 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
rm -rf data socket log
case $1 in *-own-*) rm -rf "$1" ;; esac
"#;

/// A running server.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    /// Held while this process may use the server.
    users: File,
    is_shared: bool,
}

/// A database with an owner and an application's role, still empty.
#[derive(Clone, Debug)]
pub struct TestDatabase {
    pub name: String,
    socket: PathBuf,
}

impl TestDatabase {
    /// Its address, for a role.
    pub fn url(&self, role: &str) -> String {
        format!("postgres://{role}@localhost/{}?host={}", self.name, self.socket.display())
    }

    /// Where the server listens.
    pub fn socket(&self) -> PathBuf {
        self.socket.join(".s.PGSQL.5432")
    }

    /// For the role that the program serves with.
    pub fn app(&self) -> String {
        self.url("quandura_app")
    }

    /// For the role that owns the tables.
    pub fn owner(&self) -> String {
        self.url("quandura_owner")
    }
}

impl Cluster {
    /// The server that all tests use. Started when nobody has yet.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        SHARED.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            Path::new(env!("CARGO_MANIFEST_DIR")).parent().hash(&mut hasher);
            let name = format!("quandura-postgres-{}-{:08x}", own_uid(), hasher.finish() as u32);
            let folder = std::env::temp_dir().join(name);
            make_folder(&folder);
            let users = open_lock(&folder.join("users.lock"));
            users.lock_shared().expect("a shared lock");
            let one_at_a_time = open_lock(&folder.join("start.lock"));
            one_at_a_time.lock().expect("a lock");
            let cluster = Self { folder, users, is_shared: true };
            if !cluster.answers() {
                cluster.create();
            }
            cluster.watch();
            cluster
        })
    }

    /// A server that this test alone uses. Stopped when dropped.
    pub fn own() -> Self {
        let cluster = Self::in_own_folder();
        cluster.create();
        cluster.watch();
        cluster
    }

    /// A folder for a server that one test alone uses.
    fn in_own_folder() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("quandura-postgres-own-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        make_folder(&folder);
        let users = open_lock(&folder.join("users.lock"));
        users.lock_shared().expect("a shared lock");
        Self { folder, users, is_shared: false }
    }

    /// An empty database of a new name.
    pub fn database(&self) -> TestDatabase {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("t{}_{count}_{:08x}", std::process::id(), fresh());
        self.sql("postgres", &format!("create database {name} owner quandura_owner template template0"));
        TestDatabase { name, socket: self.folder.join("socket") }
    }

    /// Runs statements as the superuser, and gives what they print.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let output = self.psql(database, statements);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{statements}: {errors}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// As a crash would: no connection is ended, nothing is written out.
    pub fn crash(&self) {
        self.control(&["stop", "--mode=immediate"]);
    }

    /// Puts on disk what [`Self::create`] left to the system, so that a start after a crash has little to sync.
    /// Its own files alone: what a build left on the same disk would take seconds.
    pub fn sync(&self) {
        let mut folders = vec![self.data()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("its folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(file) = File::open(&path) {
                    // What the server deleted meanwhile needs none.
                    file.sync_all().expect("its disk");
                }
            }
        }
    }

    pub fn start(&self) {
        self.control(&["start", "--wait", "--log", &self.path("log")]);
    }

    /// Stalls the whole server, as a machine out of memory or a disk that hangs would: it takes what is sent and answers
    /// nothing. [`Self::thaw`] ends that.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    pub fn thaw(&self) {
        self.signal("CONT");
    }

    /// To the postmaster first, so that it starts nobody meanwhile, and to everybody it has started.
    fn signal(&self, signal: &str) {
        let pid = fs::read_to_string(self.data().join("postmaster.pid")).expect("it runs");
        let postmaster = pid.lines().next().expect("its id").to_owned();
        let kill = |pid: &str| {
            let _ = Command::new("kill").args([&format!("-{signal}"), pid]).stderr(Stdio::null()).status();
        };
        kill(&postmaster);
        let tasks = format!("/proc/{postmaster}/task/{postmaster}/children");
        fs::read_to_string(tasks).expect("its processes").split_whitespace().for_each(kill);
    }

    /// From now on every write of a call fails as it does on a full disk, until [`Self::free_disk`].
    pub fn fill_disk(&self, database: &TestDatabase) {
        let refuse = "create or replace function test_disk_full() returns trigger language plpgsql as $$
            begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$;";
        let on = |table: &str| {
            format!(
                "create trigger test_disk_full before insert or update on {table}
                 for each statement execute function test_disk_full();"
            )
        };
        self.sql(&database.name, &(refuse.to_owned() + &on("calls") + &on("call_log")));
    }

    pub fn free_disk(&self, database: &TestDatabase) {
        // One table at a time: the locks of both together could wait for a call's transaction, which waits for them.
        for table in ["calls", "call_log"] {
            self.sql(&database.name, &format!("drop trigger test_disk_full on {table}"));
        }
        self.sql(&database.name, "drop function test_disk_full()");
    }

    /// Where it keeps its files.
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn answers(&self) -> bool {
        self.data().join("postmaster.pid").exists() && self.psql("postgres", "select 1").status.success()
    }

    fn psql(&self, database: &str, statements: &str) -> Output {
        let mut psql = Command::new(binary("psql"));
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]);
        psql.args(["--username=postgres", "--host", &self.path("socket"), "--dbname", database]);
        psql.args(["--command", statements]).stdin(Stdio::null());
        psql.output().expect("psql runs")
    }

    /// Empty folders and a log that the server's user may write.
    fn make_places(&self) {
        for name in ["data", "socket"] {
            let part = self.folder.join(name);
            let _ = fs::remove_dir_all(&part);
            fs::create_dir(&part).expect("a folder");
            fs::set_permissions(&part, fs::Permissions::from_mode(0o700)).expect("its permissions");
            if own_uid() == 0 {
                chown(&part, Some(NOBODY), Some(NOBODY)).expect("its owner");
            }
        }
        let log = self.folder.join("log");
        fs::write(&log, "").expect("a log");
        if own_uid() == 0 {
            chown(&log, Some(NOBODY), Some(NOBODY)).expect("its owner");
        }
    }

    /// Lines at the end of its settings; what comes last counts.
    fn add_settings(&self, lines: &str) {
        let file = self.data().join("postgresql.conf");
        let kept = fs::read_to_string(&file).expect("its settings");
        let socket = self.path("socket");
        fs::write(&file, format!("{kept}{lines}unix_socket_directories = '{socket}'\n"))
            .expect("its settings");
    }

    /// Makes the server and starts it.
    fn create(&self) {
        self.make_places();
        let mut initdb = as_ordinary_user("initdb");
        // Only the copying of the templates is left unsynced; from its first start on the server syncs.
        initdb.args(["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8"]);
        // A collation that is not that of the bytes: what must be ordered by bytes has to say so.
        initdb.args(["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"]);
        run(initdb.args(["--pgdata", &self.path("data")]));
        self.add_settings(SETTINGS);
        self.start();
        self.sql("postgres", "create role quandura_owner login; create role quandura_app login");
    }

    fn control(&self, what: &[&str]) {
        let mut control = as_ordinary_user("pg_ctl");
        run(control.args(["--pgdata", &self.path("data"), "--silent"]).args(what));
    }

    fn watch(&self) {
        let mut watcher = Command::new("sh");
        watcher.args(["-c", WATCHER, "postgres-watcher"]).arg(&self.folder).process_group(0);
        let null = || Stdio::null();
        let child = watcher.stdin(null()).stdout(null()).stderr(null()).spawn();
        drop(child.expect("the watcher starts; it is a shell script that uses flock of util-linux"));
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if !self.is_shared {
            if self.data().join("postmaster.pid").exists() {
                // A test that failed may have left it so.
                self.thaw();
                self.crash();
            }
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn make_folder(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder in the temporary folder");
    let found = fs::metadata(folder).expect("the folder");
    assert_eq!(found.uid(), own_uid(), "{} belongs to another user; remove it", folder.display());
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("its permissions");
}

fn open_lock(path: &Path) -> File {
    File::options().create(true).truncate(false).write(true).open(path).expect("a lock file")
}

fn own_uid() -> u32 {
    fs::metadata("/proc/self").expect("/proc").uid()
}

fn fresh() -> u32 {
    std::time::UNIX_EPOCH.elapsed().expect("a clock").subsec_nanos()
}

/// A program of the newest installed server: Debian keeps them off the path.
fn binary(name: &str) -> PathBuf {
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path())))
        .filter(|(version, path)| *version >= 15 && path.join("bin/initdb").exists())
        .max();
    if let Some((_, path)) = newest {
        return path.join("bin").join(name);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.exists());
    found.unwrap_or_else(|| panic!("{MISSING}"))
}

fn as_ordinary_user(name: &str) -> Command {
    let mut command = Command::new(binary(name));
    command.current_dir("/").env_remove("PGDATA").stdin(Stdio::null());
    if own_uid() == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// A daemon keeps what it inherits, so it is given nothing.
fn run(command: &mut Command) {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let shown = format!("{command:?}");
    assert!(status.expect("it runs").success(), "{shown} failed; its log is beside its data");
}
