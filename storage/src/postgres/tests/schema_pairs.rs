//! The two schemas are one: same migrations, tables, columns, nullability, and kinds of values.

use std::collections::BTreeMap;

use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection};

use super::{Cluster, TestDatabase, open, raw};
use crate::postgres::schema::{PLATFORM_TABLES, parts};
use crate::{NewTenant, Platform, PlatformOptions};

/// Full-text search has tables and columns of its own on each side.
fn is_search(name: &str) -> bool {
    name.contains("_fts") || name.contains("_search")
}

/// Column by `table.column`: kind of value, whether it must be given, and its place in the primary key.
type Schema = BTreeMap<String, (&'static str, bool, i64)>;

async fn sqlite_schema(conn: &mut SqliteConnection) -> Schema {
    let columns: Vec<(String, String, String, bool, i64)> = sqlx::query_as(
        "select t.name, c.name, c.type, c.\"notnull\", c.pk from pragma_table_list t join pragma_table_info(t.name) c
         where t.type = 'table' and t.schema = 'main' and t.name not like '\\_sqlx%' escape '\\'
           and t.name not like 'sqlite%'",
    )
    .fetch_all(conn)
    .await
    .unwrap();
    let kind = |ty: &str| match ty {
        "BLOB" => "bytes",
        "TEXT" => "text",
        "INTEGER" => "number",
        "REAL" => "fraction",
        other => panic!("{other}"),
    };
    let kept = columns.into_iter().filter(|(table, column, ..)| !is_search(table) && !is_search(column));
    kept.map(|(table, column, ty, not_null, key)| {
        // SQLite makes an integer primary key not null without saying so.
        (format!("{table}.{column}"), (kind(&ty), not_null || key > 0, key))
    })
    .collect()
}

async fn postgres_schema(database: &TestDatabase) -> Schema {
    let columns: Vec<(String, String, String, bool, i64)> = sqlx::query_as(
        "select c.relname::text, a.attname::text, format_type(a.atttypid, null), a.attnotnull,
            coalesce((select array_position(i.indkey::int2[], a.attnum) + 1 from pg_index i
                where i.indrelid = c.oid and i.indisprimary), 0)::bigint
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname not like '\\_sqlx%'",
    )
    .fetch_all(&mut raw(&database.app()).await)
    .await
    .unwrap();
    let kind = |column: &str, ty: &str| match ty {
        "uuid" | "bytea" => "bytes",
        "text" | "jsonb" => "text",
        "bigint" => "number",
        "double precision" => "fraction",
        "timestamp with time zone" if column.ends_with("_at") || column.ends_with("_until") => "text",
        other => panic!("{column} is of the type {other}"),
    };
    let kept = columns.into_iter().filter(|(table, column, ..)| !is_search(table) && !is_search(column));
    kept.map(|(table, column, ty, not_null, key)| {
        (format!("{table}.{column}"), (kind(&column, &ty), not_null, key))
    })
    .collect()
}

async fn file(path: &std::path::Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).connect().await.unwrap()
}

#[tokio::test]
async fn both_back_ends_have_the_same_tables_columns_and_keys() {
    let folder = tempfile::tempdir().unwrap();
    let platform = Platform::open(PlatformOptions::new(folder.path())).await.unwrap();
    let new = NewTenant { slug: "river".into(), name: "River".into(), timezone: "UTC".into() };
    let tenant = platform.create_tenant(new).await.unwrap().id;
    platform.tenant(tenant).await.unwrap();
    platform.close().await;
    let of_platform = sqlite_schema(&mut file(&folder.path().join("platform.db")).await).await;
    let tenants = folder.path().join("tenants").join(format!("{tenant}.db"));
    let of_tenant = sqlite_schema(&mut file(&tenants).await).await;

    let mut tables: Vec<&str> = of_platform.keys().filter_map(|name| Some(name.split_once('.')?.0)).collect();
    tables.dedup();
    assert_eq!(tables, PLATFORM_TABLES, "row-level security exempts exactly what is in platform.db");
    assert!(of_tenant.keys().all(|name| !of_platform.contains_key(name)), "a table in both files");

    let database = Cluster::shared().database();
    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), &database).await.unwrap().close().await;
    let postgres = postgres_schema(&database).await;
    let sqlite: Schema = of_platform.into_iter().chain(of_tenant).collect();
    for (name, found) in &sqlite {
        assert_eq!(postgres.get(name), Some(found), "{name}, on PostgreSQL and on SQLite");
    }
    let only: Vec<_> = postgres.keys().filter(|name| !sqlite.contains_key(*name)).collect();
    assert_eq!(only, Vec::<&String>::new(), "on PostgreSQL only");
}

#[tokio::test]
async fn migrations_come_in_pairs() {
    let names =
        |part: &Migrator| part.iter().map(|m| (m.version, m.description.to_string())).collect::<Vec<_>>();
    let [platform, tenant] = parts();
    assert_eq!(names(&platform), names(&sqlx::migrate!("migrations/sqlite/platform")));
    assert_eq!(names(&tenant), names(&sqlx::migrate!("migrations/sqlite/tenant")));
}

#[tokio::test]
async fn equal_uniqueness_on_both() {
    let folder = tempfile::tempdir().unwrap();
    let database = Cluster::shared().database();
    let platform = open(folder.path(), &database).await.unwrap();
    let mut conn = raw(&database.app()).await;
    let unique: Vec<(String, i64)> = sqlx::query_as(
        "select c.relname::text, count(*) from pg_index i join pg_class c on c.oid = i.indrelid
         where i.indisunique and c.relnamespace = 'public'::regnamespace and c.relname not like '\\_sqlx%'
         group by 1 order by 1",
    )
    .fetch_all(&mut conn)
    .await
    .unwrap();
    platform.close().await;
    conn.close().await.unwrap();
    let mut sqlite = SqliteConnection::connect("sqlite::memory:").await.unwrap();
    sqlx::migrate!("migrations/sqlite/platform").run(&mut sqlite).await.unwrap();
    let tenant = sqlx::migrate!("migrations/sqlite/tenant");
    for migration in tenant.iter() {
        sqlx::raw_sql(migration.sql.clone()).execute(&mut sqlite).await.unwrap();
    }
    for (table, on_postgres) in unique {
        let sql =
            AssertSqlSafe(format!("select count(*) from pragma_index_list('{table}') where \"unique\""));
        let listed: i64 = sqlx::query_scalar(sql).fetch_one(&mut sqlite).await.unwrap();
        // An integer primary key is the table itself, and not in the list.
        let on_sqlite = if table == "key_check" { listed + 1 } else { listed };
        assert_eq!(on_postgres, on_sqlite, "{table}");
    }
}
