-- What people decide is the truth about what agents did. line_right: whoever closed a request says whether what the line took
-- down and did was right (1) or wrong (0).
alter table work_acts add column line_right integer;

-- verdict: what people held of a Passport's work, null while nobody has decided. unsettled_at: they decided something since the
-- review, and the agents' records do not know yet.
alter table reviews add column verdict text;
alter table reviews add column unsettled_at text;

create index reviews_unsettled on reviews (tenant_id, unsettled_at) where unsettled_at is not null;

-- What one Passport adds to an agent's record, so that it can be taken back when people decide otherwise. correct: null counts
-- as nothing.
create table agent_outcomes (
    tenant_id blob not null,
    passport_id blob not null,
    agent_id text not null,
    task_type text not null,
    predicted real not null,
    correct integer,
    escalated integer not null,
    primary key (tenant_id, passport_id, agent_id),
    foreign key (tenant_id, passport_id) references reviews (tenant_id, passport_id)
) strict, without rowid;

-- Records so far counted what agents thought of themselves: they begin anew, from what people decided of the same work.
delete from calibration;
update reviews set unsettled_at = reviewed_at;

-- What callers asked: the page that answered a turn, or null where no page did. No words: those are in the call's log.
create table questions (
    tenant_id blob not null,
    call_id blob not null,
    turn integer not null,
    asked_at text not null,
    source text,
    primary key (tenant_id, call_id, turn)
) strict, without rowid;

create index questions_time on questions (tenant_id, asked_at);

-- What people held of a whole call: whether what the line said and did was right (1) or wrong (0). The last word counts.
create table call_judgements (
    tenant_id blob not null,
    id blob not null,
    call_id blob not null,
    passport_id blob,
    judged_at text not null,
    actor text not null,
    line_right integer not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, call_id) references calls (tenant_id, id)
) strict, without rowid;

create index call_judgements_call on call_judgements (tenant_id, call_id, id);
create index call_judgements_passport on call_judgements (tenant_id, passport_id, judged_at);

create trigger call_judgements_no_update before update on call_judgements
begin
    select raise(abort, 'call_judgements is append-only');
end;

create trigger call_judgements_no_delete before delete on call_judgements
begin
    select raise(abort, 'call_judgements is append-only');
end;
