-- Whether a person should look at a call, how soon, and what said so first.
alter table calls add column attention text not null default 'none';
alter table calls add column attention_reason text;

create index calls_attention on calls (tenant_id, id) where attention <> 'none';
create index calls_line on calls (tenant_id, line, id);
