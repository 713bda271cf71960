-- The call whose attempt a call of ours is; null: it is the first of its own.
alter table outreach add column first_id uuid;
create index outreach_first on outreach (tenant_id, first_id, id) where first_id is not null;

-- Attempts that may follow a call of ours that reached nobody. The number is in the first call's record. last_id is the latest
-- attempt; due_at is when the next may be made; who makes it has claimed it until then. reason: what the last one came to, why
-- the next was put off, or why there is none any more.
create table outreach_retries (
    tenant_id uuid not null,
    id uuid not null,
    remaining bigint not null check (remaining >= 0),
    every_s bigint not null,
    machines bigint not null,
    state text not null check (state in ('calling', 'waiting', 'ended')),
    due_at timestamptz,
    claimed_until_at timestamptz,
    last_id uuid not null,
    reason text,
    changed_at timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, id) references outreach (tenant_id, id),
    check ((state = 'waiting') = (due_at is not null))
);

create index outreach_retries_due on outreach_retries (tenant_id, due_at) where state = 'waiting';

select keep_tenants_apart('outreach_retries');
