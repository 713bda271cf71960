-- Whom a provider outside means: its own name for somebody, which it gives to nobody else.
create table openid_identities (
    issuer text not null,
    subject text not null,
    user_id blob not null unique references users (id),
    created_at text not null,
    primary key (issuer, subject)
) strict, without rowid;
