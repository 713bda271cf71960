-- Whom a provider outside means: its own name for somebody, which it gives to nobody else.
create table openid_identities (
    issuer text collate "C" not null,
    subject text collate "C" not null,
    user_id uuid not null unique references users (id),
    created_at timestamptz not null,
    primary key (issuer, subject)
);

-- Public keys of passkeys. uses: as the device counts them; 0 where it does not.
create table passkeys (
    id uuid not null primary key,
    user_id uuid not null references users (id),
    credential_id bytea not null unique,
    public_key bytea not null,
    uses bigint not null,
    name text not null,
    created_at timestamptz not null,
    used_at timestamptz
);

create index passkeys_user on passkeys (user_id);

-- What devices were asked to sign. user_id: who adds a passkey; null: whoever signs in.
create table sign_in_challenges (
    secret_hash bytea not null primary key,
    user_id uuid references users (id),
    expires_at timestamptz not null
);
