-- Calls that are put through to a person of the office: who asked for it, where to, how far it is, and what came of it. The number is
-- the office's own, from the tenant's document. carrier_sid: the carrier's name of the call to it, where that is one of its own.
create table transfers (
    tenant_id uuid not null,
    id uuid not null,
    call_id uuid not null,
    actor text not null,
    target text not null,
    number text not null,
    language text not null,
    about text not null default '',
    warm bigint not null default 0,
    stage text not null check (stage in ('asked', 'dialling', 'accepted', 'ended')),
    result text,
    carrier_sid text,
    created_at timestamptz not null,
    heard_at timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, call_id) references calls (tenant_id, id),
    check ((stage = 'ended') = (result is not null))
);

-- One at a time for a call.
create unique index transfers_open on transfers (tenant_id, call_id) where stage <> 'ended';
create index transfers_call on transfers (tenant_id, call_id, id);

select keep_tenants_apart('transfers');
