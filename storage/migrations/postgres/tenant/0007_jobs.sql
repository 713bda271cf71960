-- Work that outlives a call. A job is filed once for its key, claimed under a lease, and counted at each claim: whoever
-- finishes it names that count, so that somebody whose lease ran out finishes nothing. No personal text.
create table jobs (
    tenant_id uuid not null,
    id uuid not null,
    idempotency_key text not null,
    passport_id uuid not null,
    team_id text not null,
    kind text not null,
    state text not null check (state in ('queued', 'running', 'done', 'failed')),
    attempts bigint not null,
    run_after_at timestamptz not null,
    lease_until_at timestamptz,
    node_id uuid,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id),
    unique (tenant_id, idempotency_key)
);

create index jobs_due on jobs (tenant_id, run_after_at) where state in ('queued', 'running');
create index jobs_passport on jobs (tenant_id, passport_id);

select keep_tenants_apart('jobs');
