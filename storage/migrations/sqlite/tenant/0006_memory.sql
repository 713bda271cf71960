-- What is remembered of callers, in three layers: the memory manager writes contacts and memories, everybody else
-- suggests. Who writes which table is src/memory/roles.rs; what is sealed is src/zones.rs.

-- The manager's gate, one row a tenant. pass is set only inside a transaction of the manager's: its SHA-256 must be
-- key_hash. The collation memory_key says whether one text is the hash of the other (src/sqlite/gate.rs); a connection
-- without it cannot write the guarded tables at all.
create table memory_authority (
    tenant_id blob not null,
    key_hash text not null,
    pass text,
    created_at text not null,
    primary key (tenant_id)
) strict, without rowid;

create trigger memory_authority_starts_closed before insert on memory_authority when new.pass is not null
begin
    select raise(abort, 'memory_authority is written by the memory manager alone');
end;

create trigger memory_authority_keeps_its_key before update on memory_authority
when new.tenant_id is not old.tenant_id or new.key_hash is not old.key_hash or new.created_at is not old.created_at
    or (new.pass is null) = (old.pass is null)
begin
    select raise(abort, 'memory_authority is written by the memory manager alone');
end;

create trigger memory_authority_stays before delete on memory_authority
begin
    select raise(abort, 'memory_authority is written by the memory manager alone');
end;

-- A caller, found by the keyed hash of the number; the number itself is not kept. opt_out 1: nothing is remembered and
-- nothing will be; the row stays so that the wish is known on the next call.
create table contacts (
    tenant_id blob not null,
    id blob not null,
    caller_hash blob not null,
    summary_sealed blob,
    stage text not null check (stage in ('new', 'returning', 'opted_out')),
    opt_out integer not null check (opt_out in (0, 1)),
    created_at text not null,
    updated_at text not null,
    primary key (tenant_id, id),
    unique (tenant_id, caller_hash)
) strict, without rowid;

-- confidence_milli: thousandths.
create table memories (
    tenant_id blob not null,
    id blob not null,
    contact_id blob not null,
    key text not null,
    value_sealed blob not null,
    confidence_milli integer not null check (confidence_milli between 0 and 1000),
    suggestion_id blob not null,
    call_id blob,
    created_at text not null,
    updated_at text not null,
    primary key (tenant_id, id),
    unique (tenant_id, contact_id, key),
    foreign key (tenant_id, contact_id) references contacts (tenant_id, id)
) strict, without rowid;

create table memory_suggestions (
    tenant_id blob not null,
    id blob not null,
    caller_hash blob not null,
    call_id blob,
    agent_id text not null,
    idempotency_key text not null,
    key text not null,
    value_sealed blob not null,
    confidence_milli integer not null check (confidence_milli between 0 and 1000),
    created_at text not null,
    decided_at text,
    primary key (tenant_id, id),
    unique (tenant_id, idempotency_key)
) strict, without rowid;

create index memory_suggestions_pending on memory_suggestions (tenant_id, id) where decided_at is null;
create index memory_suggestions_caller on memory_suggestions (tenant_id, caller_hash);
create index memory_suggestions_call on memory_suggestions (tenant_id, call_id);

-- What the manager decided and why. Holds no text of a caller, so it outlives what it decided on.
create table memory_decisions (
    tenant_id blob not null,
    id blob not null,
    suggestion_id blob,
    against_suggestion_id blob,
    contact_id blob,
    memory_id blob,
    call_id blob,
    key text not null,
    verdict text not null,
    reason text not null,
    confidence_milli integer,
    created_at text not null,
    primary key (tenant_id, id),
    unique (tenant_id, suggestion_id)
) strict, without rowid;

create index memory_decisions_contact on memory_decisions (tenant_id, contact_id, id);

-- Calls whose transcript was looked through for what is worth remembering; made last, so a call that a kill interrupts
-- is looked through again.
create table memory_reviews (
    tenant_id blob not null,
    call_id blob not null,
    outcome text not null,
    suggested integer not null,
    created_at text not null,
    primary key (tenant_id, call_id)
) strict, without rowid;

create table interactions (
    tenant_id blob not null,
    id blob not null,
    caller_hash blob,
    call_id blob,
    agent_id text not null,
    idempotency_key text not null,
    kind text not null,
    body_sealed blob not null,
    created_at text not null,
    primary key (tenant_id, id),
    unique (tenant_id, idempotency_key)
) strict, without rowid;

create index interactions_caller on interactions (tenant_id, caller_hash, id);

create table playbook_updates (
    tenant_id blob not null,
    id blob not null,
    call_id blob,
    agent_id text not null,
    idempotency_key text not null,
    topic text not null,
    body_sealed blob not null,
    created_at text not null,
    primary key (tenant_id, id),
    unique (tenant_id, idempotency_key)
) strict, without rowid;

-- What worked, what failed, what was refused. event, outcome and detail are words of ours, never of a caller.
create table event_log (
    tenant_id blob not null,
    id blob not null,
    agent_id text not null,
    call_id blob,
    event text not null,
    outcome text not null,
    detail text not null,
    created_at text not null,
    primary key (tenant_id, id)
) strict, without rowid;

create trigger event_log_no_update before update on event_log
begin
    select raise(abort, 'event_log is append-only');
end;

create trigger event_log_no_delete before delete on event_log
begin
    select raise(abort, 'event_log is append-only');
end;

create table agent_notes (
    tenant_id blob not null,
    id blob not null,
    caller_hash blob,
    call_id blob,
    agent_id text not null,
    note_sealed blob not null,
    created_at text not null,
    expires_at text not null,
    primary key (tenant_id, id)
) strict, without rowid;

create index agent_notes_expiry on agent_notes (tenant_id, expires_at);

-- Only the manager writes these.
create trigger contacts_insert_of_manager before insert on contacts
when not exists (select 1 from memory_authority a
    where a.tenant_id = new.tenant_id and a.key_hash = a.pass collate memory_key)
begin
    select raise(abort, 'contacts is written by the memory manager alone');
end;

create trigger contacts_update_of_manager before update on contacts
when not exists (select 1 from memory_authority a
    where a.tenant_id = old.tenant_id and a.key_hash = a.pass collate memory_key)
begin
    select raise(abort, 'contacts is written by the memory manager alone');
end;

create trigger contacts_delete_of_manager before delete on contacts
when not exists (select 1 from memory_authority a
    where a.tenant_id = old.tenant_id and a.key_hash = a.pass collate memory_key)
begin
    select raise(abort, 'contacts is written by the memory manager alone');
end;

create trigger memories_insert_of_manager before insert on memories
when not exists (select 1 from memory_authority a
    where a.tenant_id = new.tenant_id and a.key_hash = a.pass collate memory_key)
begin
    select raise(abort, 'memories is written by the memory manager alone');
end;

create trigger memories_update_of_manager before update on memories
when not exists (select 1 from memory_authority a
    where a.tenant_id = old.tenant_id and a.key_hash = a.pass collate memory_key)
begin
    select raise(abort, 'memories is written by the memory manager alone');
end;

create trigger memories_delete_of_manager before delete on memories
when not exists (select 1 from memory_authority a
    where a.tenant_id = old.tenant_id and a.key_hash = a.pass collate memory_key)
begin
    select raise(abort, 'memories is written by the memory manager alone');
end;

create trigger memory_decisions_insert_of_manager before insert on memory_decisions
when not exists (select 1 from memory_authority a
    where a.tenant_id = new.tenant_id and a.key_hash = a.pass collate memory_key)
begin
    select raise(abort, 'memory_decisions is written by the memory manager alone');
end;

create trigger memory_decisions_no_update before update on memory_decisions
begin
    select raise(abort, 'memory_decisions is append-only');
end;

create trigger memory_decisions_no_delete before delete on memory_decisions
begin
    select raise(abort, 'memory_decisions is append-only');
end;
