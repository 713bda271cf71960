-- What must be kept whatever its age. kind: call, passport (subject_id), caller (caller_hash) or tenant (all of it).
create table legal_holds (
    tenant_id blob not null,
    id blob not null,
    kind text not null check (kind in ('call', 'passport', 'caller', 'tenant')),
    subject_id blob,
    caller_hash blob,
    reason_sealed blob not null,
    set_by text not null,
    set_at text not null,
    lifted_by text,
    lifted_at text,
    primary key (tenant_id, id)
) strict, without rowid;

create index legal_holds_active on legal_holds (tenant_id, kind) where lifted_at is null;

-- What was deleted because of its age. A row is written before the deletion, in one transaction with it: without one,
-- nothing can be taken out of a log.
create table forgotten (
    tenant_id blob not null,
    kind text not null check (kind in ('call', 'passport')),
    subject_id blob not null,
    forgotten_at text not null,
    primary key (tenant_id, kind, subject_id)
) strict, without rowid;

create index calls_ended on calls (tenant_id, ended_at) where state = 'ended';

drop trigger call_log_no_delete;
create trigger call_log_no_delete before delete on call_log
when not exists (
        select 1 from forgotten f
        where f.tenant_id = old.tenant_id and f.kind = 'call' and f.subject_id = old.call_id)
    or exists (
        select 1 from legal_holds h join calls c on c.tenant_id = h.tenant_id and c.id = old.call_id
        where h.tenant_id = old.tenant_id and h.lifted_at is null
          and (h.kind = 'tenant' or (h.kind = 'call' and h.subject_id = c.id)
            or (h.kind = 'passport' and h.subject_id = c.passport_id)
            or (h.kind = 'caller' and h.caller_hash = c.caller_hash)))
begin
    select raise(abort, 'call_log is append-only');
end;

drop trigger passport_ledger_no_delete;
create trigger passport_ledger_no_delete before delete on passport_ledger
when not exists (
        select 1 from forgotten f
        where f.tenant_id = old.tenant_id and f.kind = 'passport' and f.subject_id = old.passport_id)
    or exists (
        select 1 from legal_holds h
        join passports p on p.tenant_id = h.tenant_id and p.id = old.passport_id
        left join calls c on c.tenant_id = p.tenant_id and c.id = p.call_id
        where h.tenant_id = old.tenant_id and h.lifted_at is null
          and (h.kind = 'tenant' or (h.kind = 'call' and h.subject_id = p.call_id)
            or (h.kind = 'passport' and h.subject_id = p.id)
            or (h.kind = 'caller' and h.caller_hash = c.caller_hash)))
begin
    select raise(abort, 'passport_ledger is append-only');
end;
