-- What the organisation knows: nodes in four layers, typed relations between them, types that teams declared, and what
-- became of earlier tasks. Columns named *_sealed hold AES-256-GCM text (src/zones.rs lists them), so none of it is in a
-- full-text index: src/organisation says how it is found. strength and weight are millionths. change: the number of the
-- transaction that last wrote the row, which grows in the order of commits.

create table memory_nodes (
    tenant_id blob not null,
    id blob not null,
    symbol text not null,
    layer text not null check (layer in ('strategic', 'operational', 'entity', 'event')),
    type text not null,
    team_id text,
    micro_sealed blob not null,
    summary_sealed blob,
    full_sealed blob,
    properties_sealed blob not null,
    embedding_sealed blob,
    embedded_by text,
    author text not null,
    created_at text not null,
    valid_from_at text not null,
    valid_until_at text,
    strength integer not null check (strength between 0 and 1000000),
    last_used_at text not null,
    use_count integer not null default 0,
    pinned integer not null check (pinned in (0, 1)),
    superseded_by blob,
    forgotten_at text,
    change integer not null,
    primary key (tenant_id, id),
    unique (tenant_id, symbol)
) strict, without rowid;

create index memory_nodes_type on memory_nodes (tenant_id, type, id);
create index memory_nodes_layer on memory_nodes (tenant_id, layer, id);
create index memory_nodes_change on memory_nodes (tenant_id, change);

create table memory_edges (
    tenant_id blob not null,
    from_id blob not null,
    to_id blob not null,
    relation text not null
        check (relation in ('involves', 'applies', 'aligned_with', 'supersedes', 'similar_to', 'caused')),
    weight integer not null check (weight between 0 and 1000000),
    created_at text not null,
    change integer not null,
    primary key (tenant_id, from_id, to_id, relation),
    foreign key (tenant_id, from_id) references memory_nodes (tenant_id, id),
    foreign key (tenant_id, to_id) references memory_nodes (tenant_id, id)
) strict, without rowid;

create index memory_edges_to on memory_edges (tenant_id, to_id, relation);
create index memory_edges_relation on memory_edges (tenant_id, relation, weight);
create index memory_edges_change on memory_edges (tenant_id, change);

-- evidence: JSON, the figures that a change of state was decided on.
create table extension_types (
    tenant_id blob not null,
    type text not null,
    layer text not null,
    team_id text,
    description text not null,
    properties_schema text,
    state text not null check (state in ('experimental', 'stable', 'promoted')),
    nodes integer not null default 0,
    retrievals integer not null default 0,
    reason text,
    decided_by text,
    decided_at text,
    evidence text,
    created_at text not null,
    primary key (tenant_id, type)
) strict, without rowid;

create table task_history (
    tenant_id blob not null,
    id blob not null,
    task_id text not null,
    passport_id blob,
    team_id text not null,
    goal_sealed blob not null,
    plan_sealed blob not null,
    results_sealed blob not null,
    success integer not null check (success in (0, 1)),
    duration_ms integer not null,
    cost_tokens integer,
    cost_micros integer,
    created_at text not null,
    completed_at text,
    primary key (tenant_id, id),
    unique (tenant_id, task_id)
) strict, without rowid;

create index task_history_created on task_history (tenant_id, created_at);
create index task_history_success on task_history (tenant_id, success, id);
