-- The API token by which a session was begun: the session ends with it.
alter table sessions add column token_id blob references api_tokens (id);
