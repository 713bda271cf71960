-- Recordings of calls. The sound is in files of the node that took the call, sealed with the key here; a recording is deleted by
-- deleting its key. wanted_gone: it is to go, and is under a legal hold.
create table recordings (
    tenant_id blob not null,
    call_id blob not null,
    node blob not null,
    state text not null check (state in ('live', 'captured', 'kept', 'deleted')),
    started_at text not null,
    duration_ms integer not null default 0,
    bytes integer not null default 0,
    lost_frames integer not null default 0,
    wanted_gone integer not null default 0,
    key_sealed blob,
    deleted_at text,
    delete_reason text,
    primary key (tenant_id, call_id),
    foreign key (tenant_id, call_id) references calls (tenant_id, id),
    check ((state = 'deleted') = (key_sealed is null) and (state = 'deleted') = (deleted_at is not null))
) strict, without rowid;

create index recordings_open on recordings (tenant_id, state, started_at) where state <> 'deleted';
