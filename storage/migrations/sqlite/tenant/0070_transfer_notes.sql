-- Whether the agent stays as a silent note-taker once the person at the target has taken the call. Both are told before: the person
-- when they are asked, the caller before they meet. 0 again where the caller wants none, or there is no room for it.
alter table transfers add column notes integer not null default 0;
