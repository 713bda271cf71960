-- Effects outside this program: written in the transaction of the turn that wants them, sent by a dispatcher. One row a
-- key. payload_sealed: what is sent; answer_sealed: what the other side said.
create table outbox (
    tenant_id blob not null,
    id blob not null,
    idempotency_key text not null,
    destination text not null,
    tool text not null,
    state text not null check (state in ('held', 'pending', 'sent', 'failed', 'rejected')),
    attempts integer not null,
    next_at text not null,
    lease_owner blob,
    lease_until text,
    call_id blob,
    passport_id blob,
    payload_sealed blob not null,
    answer_sealed blob,
    problem text,
    decided_by text,
    decided_at text,
    created_at text not null,
    updated_at text not null,
    primary key (tenant_id, id),
    unique (tenant_id, idempotency_key)
) strict, without rowid;

create index outbox_due on outbox (tenant_id, next_at, id) where state = 'pending';
create index outbox_state on outbox (tenant_id, state, id);
