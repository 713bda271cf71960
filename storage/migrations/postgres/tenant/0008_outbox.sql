-- Effects outside this program: written in the transaction of the turn that wants them, sent by a dispatcher. One row a
-- key. payload_sealed: what is sent; answer_sealed: what the other side said.
create table outbox (
    tenant_id uuid not null,
    id uuid not null,
    idempotency_key text not null,
    destination text not null,
    tool text not null,
    state text not null check (state in ('held', 'pending', 'sent', 'failed', 'rejected')),
    attempts bigint not null,
    next_at timestamptz not null,
    lease_owner uuid,
    lease_until timestamptz,
    call_id uuid,
    passport_id uuid,
    payload_sealed bytea not null,
    answer_sealed bytea,
    problem text,
    decided_by text,
    decided_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id),
    unique (tenant_id, idempotency_key)
);

create index outbox_due on outbox (tenant_id, next_at, id) where state = 'pending';
create index outbox_state on outbox (tenant_id, state, id);

select keep_tenants_apart('outbox');
