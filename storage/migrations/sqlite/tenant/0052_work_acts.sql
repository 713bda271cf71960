-- Who works on a request, and everything that people did about it. note_sealed: what they wrote.
alter table work_items add column assignee text;

create index work_items_assignee on work_items (tenant_id, assignee, id);

create table work_acts (
    tenant_id blob not null,
    id blob not null,
    item_id blob not null,
    acted_at text not null,
    actor text not null,
    act text not null,
    assignee text,
    note_sealed blob,
    primary key (tenant_id, id),
    foreign key (tenant_id, item_id) references work_items (tenant_id, id)
) strict, without rowid;

create index work_acts_item on work_acts (tenant_id, item_id, id);

create trigger work_acts_no_update before update on work_acts
begin
    select raise(abort, 'work_acts is append-only');
end;

create trigger work_acts_no_delete before delete on work_acts
begin
    select raise(abort, 'work_acts is append-only');
end;
