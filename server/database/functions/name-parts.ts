/**
 * Every part of a name that has one to three letters, for the search of users (D71). An index holds what it answers: it
 * may become faster, but another answer needs another function and an index of its own.
 */
export const nameParts = `
create or replace function name_parts(whole text) returns text[]
language sql immutable strict parallel safe cost 1000
return array(
  select distinct substr(whole, first, size)
  from generate_series(1, length(whole)) first, generate_series(1, 3) size
  where first + size <= length(whole) + 1
)`;
