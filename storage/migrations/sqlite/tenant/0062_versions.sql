-- What a tenant keeps in versions: its document (kind 'config', name ''), and teams of its own (kind 'team', name: the team's id). The
-- newest version is what holds; without a body it was taken away. changes: what it changed, in words, a JSON array. The text is the
-- tenant's own, as its settings are; claims are never in it.
create table versions (
    tenant_id blob not null,
    kind text not null check (kind in ('config', 'team')),
    name text not null,
    version integer not null,
    made_at text not null,
    actor text not null,
    changes text not null,
    body text,
    primary key (tenant_id, kind, name, version)
) strict, without rowid;
