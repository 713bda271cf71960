-- Alarms about requests that nobody has taken on. unclaimed_at: since when nobody has it, where that is not since it was
-- filed; alarms: how many were raised since then, the last at alarmed_at.
alter table work_items add column unclaimed_at text;
alter table work_items add column alarms integer not null default 0;
alter table work_items add column alarmed_at text;

create index work_items_waiting on work_items (tenant_id, id)
    where status = 'open' and priority in ('urgent', 'high');
