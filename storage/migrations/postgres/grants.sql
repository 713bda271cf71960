-- What the application's role may do, given anew after every migration. Run by the owner, with the role's name in
-- quandura.app_role. Logs take inserts only; nobody but the owner may truncate, reference or put triggers on a table.
do $$
declare
    app constant text := current_setting('quandura.app_role');
    kept record;
begin
    execute format('grant usage on schema public to %I', app);
    for kept in
        select c.oid::regclass as name, c.relname like '\_sqlx%' as is_versions,
            exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'append_only') as is_log
        from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
            and pg_has_role(current_user, c.relowner, 'usage')
    loop
        execute format('revoke all on %s from public, %I', kept.name, app);
        execute format('grant %s on %s to %I',
            case
                when kept.is_versions then 'select'
                when kept.is_log then 'select, insert'
                else 'select, insert, update, delete'
            end,
            kept.name, app);
    end loop;
    -- The one way to take something out of a log; see 0050_retention.sql.
    execute format(
        'grant execute on function forget_call_log(uuid, uuid), forget_ledger(uuid, uuid) to %I', app);
end $$;
