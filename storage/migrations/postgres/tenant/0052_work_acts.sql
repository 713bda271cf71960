-- Who works on a request, and everything that people did about it. note_sealed: what they wrote.
alter table work_items add column assignee text;

create index work_items_assignee on work_items (tenant_id, assignee, id);

create table work_acts (
    tenant_id uuid not null,
    id uuid not null,
    item_id uuid not null,
    acted_at timestamptz not null,
    actor text not null,
    act text not null,
    assignee text,
    note_sealed bytea,
    primary key (tenant_id, id),
    foreign key (tenant_id, item_id) references work_items (tenant_id, id)
);

create index work_acts_item on work_acts (tenant_id, item_id, id);

select keep_tenants_apart('work_acts'), keep_append_only('work_acts');
