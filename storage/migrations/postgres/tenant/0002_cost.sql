-- What a call has cost so far, in millionths of a US dollar. Kept beside the log's cost entries, in the same
-- transaction, so that lists and daily sums need not read the log.
alter table calls add column cost_micros bigint not null default 0;

create index calls_cost on calls (tenant_id, started_at, cost_micros);
