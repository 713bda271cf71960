-- A claim's PIN as a salted hash, sealed: four digits are soon tried out by whoever has hash and salt.
alter table claims add column pin_sealed bytea;
