-- Who did what, in one chain a tenant: see docs/guides/audit.md for what hash and mac are made of. details: JSON without
-- personal text; what is personal is sealed apart. at: RFC 3339 UTC with microseconds, so that texts sort as times.
create table audit_log (
    tenant_id blob not null,
    seq integer not null,
    id blob not null,
    at text not null,
    trace_id text not null,
    actor_kind text not null,
    actor_id text not null,
    action text not null,
    subject_kind text not null,
    subject_id text not null,
    outcome text not null,
    details text not null,
    details_salt blob not null,
    personal_sealed blob,
    personal_hash blob,
    prev_hash blob not null,
    hash blob not null,
    mac blob not null,
    primary key (tenant_id, seq),
    unique (tenant_id, id)
) strict, without rowid;

create index audit_log_at on audit_log (tenant_id, at);
create index audit_log_action on audit_log (tenant_id, action, seq);
create index audit_log_subject on audit_log (tenant_id, subject_id, seq);

create trigger audit_log_no_update before update on audit_log
begin
    select raise(abort, 'audit_log is append-only');
end;

create trigger audit_log_no_delete before delete on audit_log
begin
    select raise(abort, 'audit_log is append-only');
end;

-- The last entry of the chain, written with it in one transaction: a tail that is cut off is missed.
create table audit_heads (
    tenant_id blob not null primary key,
    seq integer not null,
    hash blob not null,
    mac blob not null
) strict, without rowid;
