-- Calls to a list of numbers. claimed_until_at: whoever calls for it has it alone until then; looked_at: when somebody last did.
-- waits: why none of its calls begins now.
create table campaigns (
    tenant_id uuid not null,
    id uuid not null,
    purpose text not null,
    actor text not null,
    line text not null,
    language text not null,
    from_at timestamptz not null,
    until_at timestamptz not null,
    at_once bigint not null check (at_once > 0),
    retries bigint not null check (retries >= 0),
    every_s bigint not null,
    machines bigint not null,
    state text not null check (state in ('running', 'paused', 'canceled', 'ended')),
    waits text,
    claimed_until_at timestamptz,
    looked_at timestamptz not null,
    created_at timestamptz not null,
    ended_at timestamptz,
    primary key (tenant_id, id),
    check ((state in ('canceled', 'ended')) = (ended_at is not null))
);

create index campaigns_open on campaigns (tenant_id, looked_at) where state in ('running', 'paused');

-- One number of a campaign. It is kept sealed as long as it may be called, and its keyed hash, by which it is taken out again.
-- reason: what the last attempt came to, the rule that puts the next off, or why there is none any more.
create table campaign_entries (
    tenant_id uuid not null,
    id uuid not null,
    campaign_id uuid not null,
    position bigint not null,
    number_hash bytea,
    number_sealed bytea,
    item text,
    state text not null check (state in ('waiting', 'calling', 'ended')),
    due_at timestamptz,
    attempts bigint not null default 0,
    first_id uuid,
    last_id uuid,
    reason text,
    changed_at timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, campaign_id) references campaigns (tenant_id, id),
    check ((state = 'waiting') = (due_at is not null) and (state = 'ended') = (number_sealed is null))
);

create unique index campaign_entries_number on campaign_entries (tenant_id, campaign_id, number_hash)
    where number_hash is not null;
create index campaign_entries_due on campaign_entries (tenant_id, campaign_id, due_at) where state = 'waiting';
create index campaign_entries_waiting on campaign_entries (tenant_id, number_hash) where state = 'waiting';
create index campaign_entries_call on campaign_entries (tenant_id, last_id) where last_id is not null;

-- The campaign that a call of ours belongs to.
alter table outreach add column campaign_id uuid;
create index outreach_campaign on outreach (tenant_id, campaign_id, id) where campaign_id is not null;

select keep_tenants_apart('campaigns'),
    keep_tenants_apart('campaign_entries');
