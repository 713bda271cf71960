-- Failures to sign in, by a hash of the login or of the address that they were from: every gateway counts here.
create table sign_in_attempts (
    key_hash bytea not null primary key,
    failed bigint not null,
    last_at timestamptz not null,
    free_at timestamptz not null
);

create index sign_in_attempts_last on sign_in_attempts (last_at);
