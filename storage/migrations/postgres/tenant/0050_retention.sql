-- What must be kept whatever its age. kind: call, passport (subject_id), caller (caller_hash) or tenant (all of it).
create table legal_holds (
    tenant_id uuid not null,
    id uuid not null,
    kind text not null check (kind in ('call', 'passport', 'caller', 'tenant')),
    subject_id uuid,
    caller_hash bytea,
    reason_sealed bytea not null,
    set_by text not null,
    set_at timestamptz not null,
    lifted_by text,
    lifted_at timestamptz,
    primary key (tenant_id, id)
);

create index legal_holds_active on legal_holds (tenant_id, kind) where lifted_at is null;

-- What was deleted because of its age. A row is written before the deletion, in one transaction with it: without one,
-- nothing can be taken out of a log.
create table forgotten (
    tenant_id uuid not null,
    kind text not null check (kind in ('call', 'passport')),
    subject_id uuid not null,
    forgotten_at timestamptz not null,
    primary key (tenant_id, kind, subject_id)
);

create index calls_ended on calls (tenant_id, ended_at) where state = 'ended';

select keep_tenants_apart('legal_holds'), keep_tenants_apart('forgotten');

-- The one way to take something out of a log: of a subject that is noted as forgotten and under no hold. Logs give the
-- application no right to delete; it calls the functions below, which have their owner's. (Only what row-level security
-- lets through is seen here: of the tenant that the transaction named.)
create or replace function refuse_change() returns trigger language plpgsql as $$
declare
    theirs uuid;
    kept_for text;
begin
    if tg_op = 'DELETE' and tg_table_name = 'call_log' then
        kept_for := 'call';
        theirs := old.call_id;
    elsif tg_op = 'DELETE' and tg_table_name = 'passport_ledger' then
        kept_for := 'passport';
        theirs := old.passport_id;
    end if;
    if theirs is not null
        and exists (
            select from forgotten f
            where f.tenant_id = old.tenant_id and f.kind = kept_for and f.subject_id = theirs)
        and not exists (
            select from legal_holds h
            left join passports p on p.tenant_id = h.tenant_id and kept_for = 'passport' and p.id = theirs
            left join calls c on c.tenant_id = h.tenant_id
                and c.id = case kept_for when 'call' then theirs else p.call_id end
            where h.tenant_id = old.tenant_id and h.lifted_at is null
              and (h.kind = 'tenant' or (h.kind = 'call' and h.subject_id = case kept_for when 'call' then theirs else p.call_id end)
                or (h.kind = 'passport' and h.subject_id in (c.passport_id, p.id))
                or (h.kind = 'caller' and h.caller_hash = c.caller_hash)))
    then
        return old;
    end if;
    raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;

create function forget_call_log(whose uuid, forgotten_call uuid) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    gone bigint;
begin
    delete from call_log where tenant_id = whose and call_id = forgotten_call;
    get diagnostics gone = row_count;
    return gone;
end $$;

create function forget_ledger(whose uuid, forgotten_passport uuid) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    gone bigint;
begin
    delete from passport_ledger where tenant_id = whose and passport_id = forgotten_passport;
    get diagnostics gone = row_count;
    return gone;
end $$;

revoke execute on function forget_call_log(uuid, uuid), forget_ledger(uuid, uuid) from public;
