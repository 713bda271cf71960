-- Alarms about requests that nobody has taken on. unclaimed_at: since when nobody has it, where that is not since it was
-- filed; alarms: how many were raised since then, the last at alarmed_at.
alter table work_items add column unclaimed_at timestamptz;
alter table work_items add column alarms bigint not null default 0;
alter table work_items add column alarmed_at timestamptz;

create index work_items_waiting on work_items (tenant_id, id)
    where status = 'open' and priority in ('urgent', 'high');
