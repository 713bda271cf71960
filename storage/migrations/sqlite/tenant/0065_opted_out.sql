-- Whoever talked with the agent said that they want no more calls: the conversation ends as what it came to.
alter table outreach add column opted_out integer not null default 0;
