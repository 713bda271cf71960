-- What people decide is the truth about what agents did. line_right: whoever closed a request says whether what the line took
-- down and did was right (1) or wrong (0).
alter table work_acts add column line_right bigint;

-- verdict: what people held of a Passport's work, null while nobody has decided. unsettled_at: they decided something since the
-- review, and the agents' records do not know yet.
alter table reviews add column verdict text;
alter table reviews add column unsettled_at timestamptz;

create index reviews_unsettled on reviews (tenant_id, unsettled_at) where unsettled_at is not null;

-- What one Passport adds to an agent's record, so that it can be taken back when people decide otherwise. correct: null counts
-- as nothing.
create table agent_outcomes (
    tenant_id uuid not null,
    passport_id uuid not null,
    agent_id text not null,
    task_type text not null,
    predicted double precision not null,
    correct bigint,
    escalated bigint not null,
    primary key (tenant_id, passport_id, agent_id),
    foreign key (tenant_id, passport_id) references reviews (tenant_id, passport_id)
);

-- Records so far counted what agents thought of themselves: they begin anew, from what people decided of the same work.
drop table calibration;

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

alter table reviews no force row level security;
update reviews set unsettled_at = reviewed_at;
alter table reviews force row level security;


-- What callers asked: the page that answered a turn, or null where no page did. No words: those are in the call's log.
create table questions (
    tenant_id uuid not null,
    call_id uuid not null,
    turn bigint not null,
    asked_at timestamptz not null,
    source text,
    primary key (tenant_id, call_id, turn)
);

create index questions_time on questions (tenant_id, asked_at);

-- What people held of a whole call: whether what the line said and did was right (1) or wrong (0). The last word counts.
create table call_judgements (
    tenant_id uuid not null,
    id uuid not null,
    call_id uuid not null,
    passport_id uuid,
    judged_at timestamptz not null,
    actor text not null,
    line_right bigint not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, call_id) references calls (tenant_id, id)
);

create index call_judgements_call on call_judgements (tenant_id, call_id, id);
create index call_judgements_passport on call_judgements (tenant_id, passport_id, judged_at);

select keep_tenants_apart('agent_outcomes'), keep_tenants_apart('calibration'), keep_tenants_apart('questions'),
    keep_tenants_apart('call_judgements'), keep_append_only('call_judgements');
