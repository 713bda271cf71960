-- Work that outlives a call. A job is filed once for its key, claimed under a lease, and counted at each claim: whoever
-- finishes it names that count, so that somebody whose lease ran out finishes nothing. No personal text.
create table jobs (
    tenant_id blob not null,
    id blob not null,
    idempotency_key text not null,
    passport_id blob not null,
    team_id text not null,
    kind text not null,
    state text not null check (state in ('queued', 'running', 'done', 'failed')),
    attempts integer not null,
    run_after_at text not null,
    lease_until_at text,
    node_id blob,
    created_at text not null,
    updated_at text not null,
    primary key (tenant_id, id),
    unique (tenant_id, idempotency_key)
) strict, without rowid;

create index jobs_due on jobs (tenant_id, run_after_at) where state in ('queued', 'running');
create index jobs_passport on jobs (tenant_id, passport_id);
