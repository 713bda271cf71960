-- After-action reviews: one a passport, whoever asks again. What is quoted there may be personal, so it is sealed.
create table reviews (
    tenant_id uuid not null,
    passport_id uuid not null,
    success bigint not null,
    effectiveness double precision not null,
    reviewed_at timestamptz not null,
    document_sealed bytea not null,
    primary key (tenant_id, passport_id),
    foreign key (tenant_id, passport_id) references passports (tenant_id, id)
);

create index reviews_time on reviews (tenant_id, reviewed_at);

-- How right each agent was, by kind of task.
create table calibration (
    tenant_id uuid not null,
    agent_id text not null,
    task_type text not null,
    completed bigint not null,
    correct bigint not null,
    escalated bigint not null,
    brier_sum double precision not null,
    updated_at timestamptz not null,
    primary key (tenant_id, agent_id, task_type)
);

-- Every move of an agent between levels of autonomy. The last one says where it is.
create table autonomy_changes (
    tenant_id uuid not null,
    id uuid not null,
    agent_id text not null,
    from_level bigint not null,
    to_level bigint not null,
    reason text not null,
    changed_at timestamptz not null,
    primary key (tenant_id, id)
);

create index autonomy_changes_agent on autonomy_changes (tenant_id, agent_id, id);

select keep_append_only('autonomy_changes');
select keep_tenants_apart('reviews');
select keep_tenants_apart('calibration');
select keep_tenants_apart('autonomy_changes');
