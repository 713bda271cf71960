-- One tenant. Columns named sealed* or *_sealed hold AES-256-GCM text (src/zones.rs lists them).

create table calls (
    tenant_id blob not null,
    id blob not null,
    carrier_sid text,
    line text not null,
    caller_sealed blob,
    caller_hash blob,
    direction text not null,
    language text not null,
    passport_id blob,
    state text not null check (state in ('live', 'ended')),
    end_reason text,
    started_at text not null,
    ended_at text,
    primary key (tenant_id, id),
    unique (tenant_id, carrier_sid)
) strict, without rowid;

create index calls_live on calls (tenant_id, id) where state = 'live';
create index calls_caller on calls (tenant_id, caller_hash, id);

-- What happened in a call. payload: JSON without personal text; sealed: that text.
create table call_log (
    tenant_id blob not null,
    call_id blob not null,
    seq integer not null,
    at_ms integer not null,
    kind text not null,
    turn integer,
    payload text not null,
    sealed blob,
    primary key (tenant_id, call_id, seq),
    foreign key (tenant_id, call_id) references calls (tenant_id, id)
) strict, without rowid;

create index call_log_said on call_log (tenant_id, call_id, turn) where kind in ('caller_turn', 'digits');

create trigger call_log_no_update before update on call_log
begin
    select raise(abort, 'call_log is append-only');
end;

create trigger call_log_no_delete before delete on call_log
begin
    select raise(abort, 'call_log is append-only');
end;

create table passports (
    tenant_id blob not null,
    id blob not null,
    version integer not null,
    team_id text not null,
    status text not null,
    call_id blob,
    created_at text not null,
    updated_at text not null,
    document_sealed blob not null,
    primary key (tenant_id, id)
) strict, without rowid;

-- The ledger of a passport, apart from its document so that nothing can be taken out of it.
create table passport_ledger (
    tenant_id blob not null,
    passport_id blob not null,
    seq integer not null,
    recorded_at text not null,
    entry_sealed blob not null,
    primary key (tenant_id, passport_id, seq),
    foreign key (tenant_id, passport_id) references passports (tenant_id, id)
) strict, without rowid;

create trigger passport_ledger_no_update before update on passport_ledger
begin
    select raise(abort, 'passport_ledger is append-only');
end;

create trigger passport_ledger_no_delete before delete on passport_ledger
begin
    select raise(abort, 'passport_ledger is append-only');
end;

create table work_items (
    tenant_id blob not null,
    id blob not null,
    reference text not null,
    kind text not null,
    status text not null,
    priority text not null,
    idempotency_key text not null,
    call_id blob,
    passport_id blob,
    caller_hash blob,
    fields_sealed blob not null,
    created_at text not null,
    updated_at text not null,
    primary key (tenant_id, id),
    unique (tenant_id, reference),
    unique (tenant_id, idempotency_key)
) strict, without rowid;

create index work_items_status on work_items (tenant_id, status, id);
create index work_items_call on work_items (tenant_id, call_id);
create index work_items_caller on work_items (tenant_id, caller_hash, id);

create table inspection_slots (
    tenant_id blob not null,
    id blob not null,
    starts_at text not null,
    ends_at text not null,
    label text not null,
    primary key (tenant_id, id)
) strict, without rowid;

create index inspection_slots_start on inspection_slots (tenant_id, starts_at);

create table slot_bookings (
    tenant_id blob not null,
    slot_id blob not null,
    idempotency_key text not null,
    reference text,
    created_at text not null,
    primary key (tenant_id, slot_id),
    unique (tenant_id, idempotency_key),
    foreign key (tenant_id, slot_id) references inspection_slots (tenant_id, id)
) strict, without rowid;

-- number_key: the claim number in capitals without spaces and dashes.
create table claims (
    tenant_id blob not null,
    number_key text not null,
    claim_number text not null,
    status text not null,
    status_text text not null,
    holder_sealed blob not null,
    updated_at text not null,
    primary key (tenant_id, number_key)
) strict, without rowid;

create table documents (
    tenant_id blob not null,
    id blob not null,
    source text not null,
    title text not null,
    media_type text not null,
    content text not null,
    created_at text not null,
    updated_at text not null,
    primary key (tenant_id, id),
    unique (tenant_id, source)
) strict;

-- embedding: 32-bit floats, little-endian.
create table document_chunks (
    tenant_id blob not null,
    document_id blob not null,
    ordinal integer not null,
    heading text not null,
    body text not null,
    embedding blob,
    primary key (tenant_id, document_id, ordinal),
    foreign key (tenant_id, document_id) references documents (tenant_id, id)
) strict;

create table settings (
    tenant_id blob not null,
    name text not null,
    value text not null,
    primary key (tenant_id, name)
) strict, without rowid;

create table counters (
    tenant_id blob not null,
    name text not null,
    value integer not null,
    primary key (tenant_id, name)
) strict, without rowid;
