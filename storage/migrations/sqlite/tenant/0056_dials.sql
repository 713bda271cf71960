-- Calls that people have placed to whoever left a request: the person's own telephone rings first, then the request's number is
-- dialled. No number is kept here: the person's is not needed again, the other one is the request's. heard_at: last news of it.
create table dials (
    tenant_id blob not null,
    id blob not null,
    item_id blob not null,
    actor text not null,
    line text not null,
    stage text not null check (stage in ('placing', 'ringing', 'dialling', 'ended')),
    result text check (result in ('reached', 'no_answer', 'busy', 'machine', 'failed', 'not_begun')),
    carrier_sid text,
    dialled_sid text,
    machine integer not null default 0,
    created_at text not null,
    heard_at text not null,
    ended_at text,
    primary key (tenant_id, id),
    foreign key (tenant_id, item_id) references work_items (tenant_id, id),
    check ((stage = 'ended') = (result is not null) and (stage = 'ended') = (ended_at is not null))
) strict, without rowid;

-- One at a time for a request.
create unique index dials_open on dials (tenant_id, item_id) where stage <> 'ended';
create index dials_item on dials (tenant_id, item_id, id);
create index dials_carrier on dials (tenant_id, carrier_sid) where carrier_sid is not null;

-- Who does not want to be called. Their number is kept as its keyed hash alone.
create table do_not_call (
    tenant_id blob not null,
    number_hash blob not null,
    source text not null,
    added_by text not null,
    added_at text not null,
    primary key (tenant_id, number_hash)
) strict, without rowid;

-- Calls that the agent places. The number is in the call's record; here is its keyed hash, by which they are counted.
create table outreach (
    tenant_id blob not null,
    id blob not null,
    number_hash blob not null,
    purpose text not null,
    actor text not null,
    stage text not null check (stage in ('placing', 'asked', 'connected', 'ended')),
    result text,
    machine integer not null default 0,
    created_at text not null,
    heard_at text not null,
    primary key (tenant_id, id),
    check ((stage = 'ended') = (result is not null))
) strict, without rowid;

-- One at a time to a number.
create unique index outreach_open on outreach (tenant_id, number_hash) where stage <> 'ended';
create index outreach_number on outreach (tenant_id, number_hash, created_at);

-- Who agreed to be called for what; the last word counts. Their number is kept as its keyed hash alone.
create table consents (
    tenant_id blob not null,
    number_hash blob not null,
    purpose text not null,
    given integer not null,
    source text not null,
    noted_by text not null,
    noted_at text not null,
    primary key (tenant_id, number_hash, purpose)
) strict, without rowid;
