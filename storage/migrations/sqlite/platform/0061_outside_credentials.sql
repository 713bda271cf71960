-- Whom a provider outside means: its own name for somebody, which it gives to nobody else.
create table openid_identities (
    issuer text not null,
    subject text not null,
    user_id blob not null unique references users (id),
    created_at text not null,
    primary key (issuer, subject)
) strict, without rowid;

-- Public keys of passkeys. uses: as the device counts them; 0 where it does not.
create table passkeys (
    id blob not null primary key,
    user_id blob not null references users (id),
    credential_id blob not null unique,
    public_key blob not null,
    uses integer not null,
    name text not null,
    created_at text not null,
    used_at text
) strict, without rowid;

create index passkeys_user on passkeys (user_id);

-- What devices were asked to sign. user_id: who adds a passkey; null: whoever signs in.
create table sign_in_challenges (
    secret_hash blob not null primary key,
    user_id blob references users (id),
    expires_at text not null
) strict, without rowid;
