-- The appointment that a call of ours reminds of, by the reference of the request that it was booked with.
alter table outreach add column item text;
