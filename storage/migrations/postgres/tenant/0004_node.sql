-- Which node serves the call: a node that starts closes only what it left open itself.
alter table calls add column node_id uuid;
