/**
 * All substrings of a name of one to three characters, for the search of users (D71). An index stores its results: the
 * implementation may become faster, but for other results add another function with its own index.
 */
export const nameParts = `
create or replace function name_parts(whole text) returns text[]
language sql immutable strict parallel safe cost 1000
return array(
  select distinct substr(whole, first, size)
  from generate_series(1, length(whole)) first, generate_series(1, 3) size
  where first + size <= length(whole) + 1
)`;
