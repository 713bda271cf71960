-- The carrier was told to leave a message on the machine that answered.
alter table outreach add column message integer not null default 0;
