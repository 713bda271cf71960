-- Who did what, in one chain a tenant: see docs/guides/audit.md for what hash and mac are made of. details: JSON without
-- personal text; what is personal is sealed apart. at: RFC 3339 UTC with microseconds, so that texts sort as times.
create table audit_log (
    tenant_id uuid not null,
    seq bigint not null,
    id uuid not null,
    at text collate "C" not null,
    trace_id text not null,
    actor_kind text not null,
    actor_id text not null,
    action text not null,
    subject_kind text not null,
    subject_id text not null,
    outcome text not null,
    details text not null,
    details_salt bytea not null,
    personal_sealed bytea,
    personal_hash bytea,
    prev_hash bytea not null,
    hash bytea not null,
    mac bytea not null,
    primary key (tenant_id, seq),
    unique (tenant_id, id)
);

create index audit_log_at on audit_log (tenant_id, at);
create index audit_log_action on audit_log (tenant_id, action, seq);
create index audit_log_subject on audit_log (tenant_id, subject_id, seq);

select keep_append_only('audit_log');

-- The last entry of the chain, written with it in one transaction: a tail that is cut off is missed. Its row is also
-- what writers on several nodes wait for one another at.
create table audit_heads (
    tenant_id uuid not null primary key,
    seq bigint not null,
    hash bytea not null,
    mac bytea not null
);

select keep_tenants_apart('audit_log'), keep_tenants_apart('audit_heads');
