-- What the look for finished passports and the sweep of closed ones read.
create index work_items_passport on work_items (tenant_id, passport_id, status);
create index jobs_review on jobs (tenant_id, passport_id, state);
create index passports_review on passports (tenant_id, id, status, call_id);
create index passports_closed on passports (tenant_id, updated_at) where status in ('completed', 'failed');
