-- After-action reviews: one a passport, whoever asks again. What is quoted there may be personal, so it is sealed.
create table reviews (
    tenant_id blob not null,
    passport_id blob not null,
    success integer not null,
    effectiveness real not null,
    reviewed_at text not null,
    document_sealed blob not null,
    primary key (tenant_id, passport_id),
    foreign key (tenant_id, passport_id) references passports (tenant_id, id)
) strict, without rowid;

create index reviews_time on reviews (tenant_id, reviewed_at);

-- How right each agent was, by kind of task.
create table calibration (
    tenant_id blob not null,
    agent_id text not null,
    task_type text not null,
    completed integer not null,
    correct integer not null,
    escalated integer not null,
    brier_sum real not null,
    updated_at text not null,
    primary key (tenant_id, agent_id, task_type)
) strict, without rowid;

-- Every move of an agent between levels of autonomy. The last one says where it is.
create table autonomy_changes (
    tenant_id blob not null,
    id blob not null,
    agent_id text not null,
    from_level integer not null,
    to_level integer not null,
    reason text not null,
    changed_at text not null,
    primary key (tenant_id, id)
) strict, without rowid;

create index autonomy_changes_agent on autonomy_changes (tenant_id, agent_id, id);

create trigger autonomy_changes_no_update before update on autonomy_changes
begin
    select raise(abort, 'autonomy_changes is append-only');
end;

create trigger autonomy_changes_no_delete before delete on autonomy_changes
begin
    select raise(abort, 'autonomy_changes is append-only');
end;
