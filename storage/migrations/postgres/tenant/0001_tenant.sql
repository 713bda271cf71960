-- The tenants' rows, all in one schema. Columns named sealed* or *_sealed hold AES-256-GCM text (src/zones.rs lists
-- them). Every table here is given to keep_tenants_apart(), and logs to keep_append_only(): both are for migrations, and
-- the application's role may not run them.

-- Rows are seen, and may be written, only by a transaction that says whose they are. Unset: no rows. (On a connection
-- that had the setting once it is empty, not null.) Forced, so that the owner is bound as well.
create function keep_tenants_apart(kept regclass) returns void language plpgsql as $$
declare
    theirs constant text := $rule$ tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid $rule$;
begin
    execute format('alter table %s enable row level security', kept);
    execute format('alter table %s force row level security', kept);
    execute format('create policy tenant on %s using (%s) with check (%s)', kept, theirs, theirs);
end $$;

create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;

-- grants.sql knows such tables by their trigger, and gives the application no update and no delete on them.
create function keep_append_only(kept regclass) returns void language plpgsql as $$
begin
    execute format(
        'create trigger append_only before update or delete on %s for each row execute function refuse_change()',
        kept);
    execute format(
        'create trigger append_only_whole before truncate on %s for each statement execute function refuse_change()',
        kept);
end $$;

revoke execute on function keep_tenants_apart(regclass), keep_append_only(regclass), refuse_change() from public;

create table calls (
    tenant_id uuid not null,
    id uuid not null,
    carrier_sid text,
    line text not null,
    caller_sealed bytea,
    caller_hash bytea,
    direction text not null,
    language text not null,
    passport_id uuid,
    state text not null check (state in ('live', 'ended')),
    end_reason text,
    started_at timestamptz not null,
    ended_at timestamptz,
    primary key (tenant_id, id),
    unique (tenant_id, carrier_sid)
);

create index calls_live on calls (tenant_id, id) where state = 'live';
create index calls_caller on calls (tenant_id, caller_hash, id);

-- What happened in a call. payload: JSON without personal text; sealed: that text.
create table call_log (
    tenant_id uuid not null,
    call_id uuid not null,
    seq bigint not null,
    at_ms bigint not null,
    kind text not null,
    turn bigint,
    payload text not null,
    sealed bytea,
    primary key (tenant_id, call_id, seq),
    foreign key (tenant_id, call_id) references calls (tenant_id, id)
);

create index call_log_said on call_log (tenant_id, call_id, turn) where kind in ('caller_turn', 'digits');

select keep_append_only('call_log');

create table passports (
    tenant_id uuid not null,
    id uuid not null,
    version bigint not null,
    team_id text not null,
    status text not null,
    call_id uuid,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    document_sealed bytea not null,
    primary key (tenant_id, id)
);

-- The ledger of a passport, apart from its document so that nothing can be taken out of it.
create table passport_ledger (
    tenant_id uuid not null,
    passport_id uuid not null,
    seq bigint not null,
    recorded_at timestamptz not null,
    entry_sealed bytea not null,
    primary key (tenant_id, passport_id, seq),
    foreign key (tenant_id, passport_id) references passports (tenant_id, id)
);

select keep_append_only('passport_ledger');

create table work_items (
    tenant_id uuid not null,
    id uuid not null,
    reference text not null,
    kind text not null,
    status text not null,
    priority text not null,
    idempotency_key text not null,
    call_id uuid,
    passport_id uuid,
    caller_hash bytea,
    fields_sealed bytea not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id),
    unique (tenant_id, reference),
    unique (tenant_id, idempotency_key)
);

create index work_items_status on work_items (tenant_id, status, id);
create index work_items_call on work_items (tenant_id, call_id);
create index work_items_caller on work_items (tenant_id, caller_hash, id);

create table inspection_slots (
    tenant_id uuid not null,
    id uuid not null,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    label text not null,
    primary key (tenant_id, id)
);

create index inspection_slots_start on inspection_slots (tenant_id, starts_at);

create table slot_bookings (
    tenant_id uuid not null,
    slot_id uuid not null,
    idempotency_key text not null,
    reference text,
    created_at timestamptz not null,
    primary key (tenant_id, slot_id),
    unique (tenant_id, idempotency_key),
    foreign key (tenant_id, slot_id) references inspection_slots (tenant_id, id)
);

-- number_key: the claim number in capitals without spaces and dashes.
create table claims (
    tenant_id uuid not null,
    number_key text not null,
    claim_number text not null,
    status text not null,
    status_text text not null,
    holder_sealed bytea not null,
    updated_at timestamptz not null,
    primary key (tenant_id, number_key)
);

create table documents (
    tenant_id uuid not null,
    id uuid not null,
    source text collate "C" not null,
    title text not null,
    media_type text not null,
    content text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id),
    unique (tenant_id, source)
);

-- embedding: 32-bit floats, little-endian.
create table document_chunks (
    tenant_id uuid not null,
    document_id uuid not null,
    ordinal bigint not null,
    heading text not null,
    body text not null,
    embedding bytea,
    primary key (tenant_id, document_id, ordinal),
    foreign key (tenant_id, document_id) references documents (tenant_id, id)
);

create table settings (
    tenant_id uuid not null,
    name text not null,
    value text not null,
    primary key (tenant_id, name)
);

create table counters (
    tenant_id uuid not null,
    name text not null,
    value bigint not null,
    primary key (tenant_id, name)
);

select keep_tenants_apart('calls'),
    keep_tenants_apart('call_log'),
    keep_tenants_apart('passports'),
    keep_tenants_apart('passport_ledger'),
    keep_tenants_apart('work_items'),
    keep_tenants_apart('inspection_slots'),
    keep_tenants_apart('slot_bookings'),
    keep_tenants_apart('claims'),
    keep_tenants_apart('documents'),
    keep_tenants_apart('document_chunks'),
    keep_tenants_apart('settings'),
    keep_tenants_apart('counters');
