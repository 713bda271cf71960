-- The platform: who the tenants are, which numbers reach them, who may come in. Read before a tenant is known, so these
-- tables have no row-level security; they hold nothing that a caller said. Texts that lists are ordered by compare by
-- their bytes ("C"), as in SQLite.

create table key_check (
    id bigint primary key check (id = 1),
    sealed bytea not null
);

create table tenants (
    id uuid not null primary key,
    slug text collate "C" not null unique,
    name text not null,
    timezone text not null,
    created_at timestamptz not null
);

-- Keys of a tenant, wrapped by the master key. Deleting a tenant's rows shreds its data.
create table tenant_keys (
    tenant_id uuid not null references tenants (id),
    purpose text not null check (purpose in ('seal', 'lookup')),
    key_id bigint not null,
    wrapped bytea not null,
    created_at timestamptz not null,
    primary key (tenant_id, purpose, key_id)
);

create table lines (
    number text collate "C" not null primary key,
    tenant_id uuid not null references tenants (id),
    name text not null,
    languages jsonb not null,
    greeting text not null,
    recording_consent text not null
);

create index lines_tenant on lines (tenant_id);

-- login_key: the login in lower case.
create table users (
    id uuid not null primary key,
    tenant_id uuid references tenants (id),
    login text not null,
    login_key text collate "C" not null unique,
    display_name text not null,
    role text not null,
    created_at timestamptz not null
);

create table sign_in_links (
    secret_hash bytea not null primary key,
    user_id uuid not null references users (id),
    expires_at timestamptz not null
);

create table sessions (
    id uuid not null primary key,
    secret_hash bytea not null unique,
    user_id uuid not null references users (id),
    created_at timestamptz not null,
    expires_at timestamptz not null
);

create table api_tokens (
    id uuid not null primary key,
    tenant_id uuid references tenants (id),
    name text not null,
    role text not null,
    secret_hash bytea not null unique,
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz
);

create table stream_nonces (
    nonce text not null primary key,
    expires_at timestamptz not null
);

create index stream_nonces_expiry on stream_nonces (expires_at);
