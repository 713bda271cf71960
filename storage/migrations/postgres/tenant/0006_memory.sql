-- What is remembered of callers, in three layers: the memory manager writes contacts and memories, everybody else
-- suggests. Who writes which table is src/memory/roles.rs; what is sealed is src/zones.rs.

-- The manager's gate, one row a tenant. pass is set only inside a transaction of the manager's: its SHA-256 must be
-- key_hash. Not a role of the database's: the owner who migrates may not be allowed to create roles, and whoever may
-- `set role` once may do it again. The secret behind key_hash is known to the program alone.
create table memory_authority (
    tenant_id uuid not null,
    key_hash text not null,
    pass text,
    created_at timestamptz not null,
    primary key (tenant_id)
);

-- A caller, found by the keyed hash of the number; the number itself is not kept. opt_out 1: nothing is remembered and
-- nothing will be; the row stays so that the wish is known on the next call.
create table contacts (
    tenant_id uuid not null,
    id uuid not null,
    caller_hash bytea not null,
    summary_sealed bytea,
    stage text not null check (stage in ('new', 'returning', 'opted_out')),
    opt_out bigint not null check (opt_out in (0, 1)),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id),
    unique (tenant_id, caller_hash)
);

-- confidence_milli: thousandths.
create table memories (
    tenant_id uuid not null,
    id uuid not null,
    contact_id uuid not null,
    key text not null,
    value_sealed bytea not null,
    confidence_milli bigint not null check (confidence_milli between 0 and 1000),
    suggestion_id uuid not null,
    call_id uuid,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id),
    unique (tenant_id, contact_id, key),
    foreign key (tenant_id, contact_id) references contacts (tenant_id, id)
);

create table memory_suggestions (
    tenant_id uuid not null,
    id uuid not null,
    caller_hash bytea not null,
    call_id uuid,
    agent_id text not null,
    idempotency_key text not null,
    key text not null,
    value_sealed bytea not null,
    confidence_milli bigint not null check (confidence_milli between 0 and 1000),
    created_at timestamptz not null,
    decided_at timestamptz,
    primary key (tenant_id, id),
    unique (tenant_id, idempotency_key)
);

create index memory_suggestions_pending on memory_suggestions (tenant_id, id) where decided_at is null;
create index memory_suggestions_caller on memory_suggestions (tenant_id, caller_hash);
create index memory_suggestions_call on memory_suggestions (tenant_id, call_id);

-- What the manager decided and why. Holds no text of a caller, so it outlives what it decided on.
create table memory_decisions (
    tenant_id uuid not null,
    id uuid not null,
    suggestion_id uuid,
    against_suggestion_id uuid,
    contact_id uuid,
    memory_id uuid,
    call_id uuid,
    key text not null,
    verdict text not null,
    reason text not null,
    confidence_milli bigint,
    created_at timestamptz not null,
    primary key (tenant_id, id),
    unique (tenant_id, suggestion_id)
);

create index memory_decisions_contact on memory_decisions (tenant_id, contact_id, id);

-- Calls whose transcript was looked through for what is worth remembering; made last, so a call that a kill interrupts
-- is looked through again.
create table memory_reviews (
    tenant_id uuid not null,
    call_id uuid not null,
    outcome text not null,
    suggested bigint not null,
    created_at timestamptz not null,
    primary key (tenant_id, call_id)
);

create table interactions (
    tenant_id uuid not null,
    id uuid not null,
    caller_hash bytea,
    call_id uuid,
    agent_id text not null,
    idempotency_key text not null,
    kind text not null,
    body_sealed bytea not null,
    created_at timestamptz not null,
    primary key (tenant_id, id),
    unique (tenant_id, idempotency_key)
);

create index interactions_caller on interactions (tenant_id, caller_hash, id);

create table playbook_updates (
    tenant_id uuid not null,
    id uuid not null,
    call_id uuid,
    agent_id text not null,
    idempotency_key text not null,
    topic text not null,
    body_sealed bytea not null,
    created_at timestamptz not null,
    primary key (tenant_id, id),
    unique (tenant_id, idempotency_key)
);

-- What worked, what failed, what was refused. event, outcome and detail are words of ours, never of a caller.
create table event_log (
    tenant_id uuid not null,
    id uuid not null,
    agent_id text not null,
    call_id uuid,
    event text not null,
    outcome text not null,
    detail text not null,
    created_at timestamptz not null,
    primary key (tenant_id, id)
);

create table agent_notes (
    tenant_id uuid not null,
    id uuid not null,
    caller_hash bytea,
    call_id uuid,
    agent_id text not null,
    note_sealed bytea not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    primary key (tenant_id, id)
);

create index agent_notes_expiry on agent_notes (tenant_id, expires_at);

-- Names are written out and the path is fixed: a temporary table of the same name must not stand in for the gate.
create function of_memory_manager() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    whose constant uuid := case when tg_op = 'DELETE' then old.tenant_id else new.tenant_id end;
begin
    if not exists (
        select from public.memory_authority a
        where a.tenant_id = whose and a.key_hash = encode(sha256(convert_to(a.pass, 'UTF8')), 'hex')
    ) then
        raise exception '% is written by the memory manager alone', tg_table_name using errcode = 'QM001';
    end if;
    if tg_op = 'DELETE' then
        return old;
    end if;
    return new;
end $$;

create function keep_memory_gate() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if tg_op = 'INSERT' and new.pass is null then
        return new;
    end if;
    if tg_op = 'UPDATE' and new.tenant_id = old.tenant_id and new.key_hash = old.key_hash
        and new.created_at = old.created_at and (new.pass is null) <> (old.pass is null) then
        return new;
    end if;
    raise exception 'memory_authority is written by the memory manager alone' using errcode = 'insufficient_privilege';
end $$;

revoke execute on function of_memory_manager(), keep_memory_gate() from public;

create trigger gate before insert or update or delete on memory_authority
    for each row execute function keep_memory_gate();
create trigger of_manager before insert or update or delete on contacts
    for each row execute function of_memory_manager();
create trigger of_manager before insert or update or delete on memories
    for each row execute function of_memory_manager();
create trigger of_manager before insert on memory_decisions
    for each row execute function of_memory_manager();

select keep_append_only('memory_decisions'),
    keep_append_only('event_log');

select keep_tenants_apart('memory_authority'),
    keep_tenants_apart('contacts'),
    keep_tenants_apart('memories'),
    keep_tenants_apart('memory_suggestions'),
    keep_tenants_apart('memory_decisions'),
    keep_tenants_apart('memory_reviews'),
    keep_tenants_apart('interactions'),
    keep_tenants_apart('playbook_updates'),
    keep_tenants_apart('event_log'),
    keep_tenants_apart('agent_notes');
