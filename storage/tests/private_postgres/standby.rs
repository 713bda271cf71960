//! A second server that follows the first, and takes over.

use super::{Cluster, TestDatabase, as_ordinary_user, run};

/// The name under which the first server waits for it.
const NAME: &str = "standby";

impl Cluster {
    /// A copy of this server that follows it. Every commit waits until it is there too: what was acknowledged is not
    /// lost with the first server.
    pub fn standby(&self) -> Self {
        let standby = Self::in_own_folder();
        standby.make_places();
        let from = format!("host={} user=postgres application_name={NAME}", self.path("socket"));
        let mut copy = as_ordinary_user("pg_basebackup");
        copy.args(["--checkpoint=fast", "--wal-method=stream", "--no-sync", "--write-recovery-conf"]);
        run(copy.args(["--dbname", &from, "--pgdata", &standby.path("data")]));
        standby.add_settings("");
        standby.start();
        standby.watch();
        self.sql("postgres", &format!("alter system set synchronous_standby_names = '{NAME}'"));
        self.sql("postgres", "select pg_reload_conf()");
        let follows = "select count(*) from pg_stat_replication where sync_state = 'sync'";
        for _ in 0..200 {
            if self.sql("postgres", follows) == "1" {
                return standby;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("the standby does not follow within 10 s");
    }

    /// It follows nobody any more and takes writes. Nobody stands by for it in turn.
    pub fn promote(&self) {
        self.control(&["promote", "--wait"]);
    }

    /// The copy of a database on this server.
    pub fn copy_of(&self, database: &TestDatabase) -> TestDatabase {
        TestDatabase { name: database.name.clone(), socket: self.folder.join("socket") }
    }
}
