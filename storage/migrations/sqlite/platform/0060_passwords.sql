-- Passwords, each as what argon2id made of it. A user has one at most.
create table passwords (
    user_id blob not null primary key references users (id),
    hash text not null,
    set_at text not null
) strict, without rowid;

-- By what a session was begun, and when it was last used; until it is, when it began counts.
alter table sessions add column begun_by text not null default 'link';
alter table sessions add column seen_at text;

create index sessions_user on sessions (user_id);
