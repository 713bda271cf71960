-- Callers who wait for a person of a target: in which line, since when, and what came of it. heard_at is when a process last said
-- that it holds the caller; who was not heard of for a while keeps the place and holds up nobody.
create table transfer_waits (
    tenant_id uuid not null,
    id uuid not null,
    call_id uuid not null,
    target text not null,
    language text not null,
    about text not null default '',
    urgent bigint not null default 0,
    joined_at timestamptz not null,
    heard_at timestamptz not null,
    ended_at timestamptz,
    result text,
    primary key (tenant_id, id),
    foreign key (tenant_id, call_id) references calls (tenant_id, id),
    check ((ended_at is null) = (result is null))
);

-- One at a time for a call.
create unique index transfer_waits_open on transfer_waits (tenant_id, call_id) where ended_at is null;
create index transfer_waits_line on transfer_waits (tenant_id, target, joined_at) where ended_at is null;
create index transfer_waits_call on transfer_waits (tenant_id, call_id, id);
create index transfers_target on transfers (tenant_id, target, id);

select keep_tenants_apart('transfer_waits');
