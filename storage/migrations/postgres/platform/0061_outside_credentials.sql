-- Whom a provider outside means: its own name for somebody, which it gives to nobody else.
create table openid_identities (
    issuer text collate "C" not null,
    subject text collate "C" not null,
    user_id uuid not null unique references users (id),
    created_at timestamptz not null,
    primary key (issuer, subject)
);
