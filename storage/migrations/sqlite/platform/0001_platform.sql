-- The platform: who the tenants are, which numbers reach them, who may come in.

create table key_check (
    id integer primary key check (id = 1),
    sealed blob not null
) strict;

create table tenants (
    id blob not null primary key,
    slug text not null unique,
    name text not null,
    timezone text not null,
    created_at text not null
) strict, without rowid;

-- Keys of a tenant, wrapped by the master key. Deleting a tenant's rows shreds its data.
create table tenant_keys (
    tenant_id blob not null references tenants (id),
    purpose text not null check (purpose in ('seal', 'lookup')),
    key_id integer not null,
    wrapped blob not null,
    created_at text not null,
    primary key (tenant_id, purpose, key_id)
) strict, without rowid;

create table lines (
    number text not null primary key,
    tenant_id blob not null references tenants (id),
    name text not null,
    languages text not null,
    greeting text not null,
    recording_consent text not null
) strict, without rowid;

create index lines_tenant on lines (tenant_id);

-- login_key: the login in lower case.
create table users (
    id blob not null primary key,
    tenant_id blob references tenants (id),
    login text not null,
    login_key text not null unique,
    display_name text not null,
    role text not null,
    created_at text not null
) strict, without rowid;

create table sign_in_links (
    secret_hash blob not null primary key,
    user_id blob not null references users (id),
    expires_at text not null
) strict, without rowid;

create table sessions (
    id blob not null primary key,
    secret_hash blob not null unique,
    user_id blob not null references users (id),
    created_at text not null,
    expires_at text not null
) strict, without rowid;

create table api_tokens (
    id blob not null primary key,
    tenant_id blob references tenants (id),
    name text not null,
    role text not null,
    secret_hash blob not null unique,
    created_at text not null,
    expires_at text,
    revoked_at text
) strict, without rowid;

create table stream_nonces (
    nonce text not null primary key,
    expires_at text not null
) strict, without rowid;

create index stream_nonces_expiry on stream_nonces (expires_at);
