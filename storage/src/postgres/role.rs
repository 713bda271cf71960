//! The application's role must be bound by the rules that keep tenants apart. Looked at before every start.

use sqlx::PgConnection;

use super::fault;
use super::schema::PLATFORM_TABLES;
use crate::error::StorageError;

/// What would let a role past the rules, now or by `set role`: it counts whoever it may become, too.
#[derive(sqlx::FromRow)]
struct Reach {
    role: String,
    superuser: bool,
    bypasses: bool,
    creates_roles: bool,
    owns_schema: bool,
    /// Tables that it owns, may truncate, or may reference or put triggers on.
    owned: Option<String>,
    truncates: Option<String>,
    /// Tables of tenants without forced row-level security, or without a policy.
    open: Option<String>,
}

/// `session_user`: a `set role` at the door would not bind, because it can be taken back.
const REACH: &str = "
    with mine as (
        select * from pg_roles where pg_has_role(session_user, oid, 'member')
    ), kept as (
        select c.* from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    )
    select session_user::text as role,
        exists (select from mine where rolsuper) as superuser,
        exists (select from mine where rolbypassrls) as bypasses,
        exists (select from mine where rolcreaterole) as creates_roles,
        (select pg_has_role(session_user, nspowner, 'member') from pg_namespace where nspname = 'public')
            as owns_schema,
        (select min(relname::text) from kept where pg_has_role(session_user, relowner, 'member')) as owned,
        (select min(relname::text) from kept
         where has_table_privilege(session_user, oid, 'truncate, references, trigger')) as truncates,
        (select min(k.relname::text) from kept k
         join pg_attribute a on a.attrelid = k.oid and a.attname = 'tenant_id' and not a.attisdropped
         where not k.relname = any($1)
            and not (k.relrowsecurity and k.relforcerowsecurity
                and exists (select from pg_policy p where p.polrelid = k.oid))) as open";

/// Fails with [`StorageError::UnsafeRole`] when the role of this connection could see or change other tenants' rows.
pub(super) async fn check(conn: &mut PgConnection, place: &str) -> Result<(), StorageError> {
    let reach: Reach = sqlx::query_as(REACH)
        .bind(PLATFORM_TABLES.as_slice())
        .fetch_one(conn)
        .await
        .map_err(|error| fault::name(error.into(), place))?;
    match reach.problem() {
        None => Ok(()),
        Some((problem, fix)) => {
            Err(StorageError::UnsafeRole { database: place.to_owned(), role: reach.role, problem, fix })
        }
    }
}

impl Reach {
    fn problem(&self) -> Option<(String, &'static str)> {
        const ANOTHER: &str = "let DATABASE_URL name a role of its own, and put the owner into \
             DATABASE_MIGRATION_URL";
        let owned =
            self.owned.as_ref().map(|table| format!("owns the table {table}, or may become its owner"));
        let truncates = self
            .truncates
            .as_ref()
            .map(|table| format!("may truncate, reference or put triggers on the table {table}"));
        let open =
            self.open.as_ref().map(|table| format!("is not bound: {table} lacks forced row-level security"));
        if self.superuser {
            Some(("is, or may become, a superuser, whom no row-level security binds".to_owned(), ANOTHER))
        } else if self.bypasses {
            Some((
                "has, or may take on, BYPASSRLS".to_owned(),
                "run: alter role … nobypassrls; or give another role in DATABASE_URL",
            ))
        } else if self.creates_roles {
            Some((
                "may create roles, and so become the owner".to_owned(),
                "run: alter role … nocreaterole; or give another role in DATABASE_URL",
            ))
        } else if let Some(problem) = owned {
            Some((problem, ANOTHER))
        } else if self.owns_schema {
            Some(("owns the database or its schema, and so may drop tables".to_owned(), ANOTHER))
        } else if let Some(problem) = truncates {
            Some((problem, "run `quandura migrate`, which gives the role exactly what it needs"))
        } else {
            open.map(|problem| {
                (problem, "run: alter table … force row level security, and restore its policy")
            })
        }
    }
}
