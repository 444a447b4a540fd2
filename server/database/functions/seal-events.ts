/**
 * Gives consecutive positions to some events that have none, and chains their digests; returns how many. An advisory
 * lock lets one transaction at a time do so, and it reads after it got the lock: events that it cannot see yet are
 * sealed by the next one.
 */
export const sealEvents = `
create or replace function seal_events(most integer) returns integer language plpgsql as $$
declare
  last bigint;
  chained bytea;
  born_until bigint;
  entry record;
  ids uuid[] := '{}';
  digests bytea[] := '{}';
  hashes bytea[] := '{}';
begin
  perform pg_advisory_xact_lock(hashtext('seals of events'));
  select position, hash into last, chained from event_seals order by position desc limit 1;
  for entry in select * from unsealed_events order by born limit most loop
    chained := sha256(coalesce(chained, '') || entry.digest);
    ids := ids || entry.event_id;
    digests := digests || entry.digest;
    hashes := hashes || chained;
    born_until := entry.born;
  end loop;
  if born_until is null then
    return 0;
  end if;
  insert into event_seals (position, event_id, digest, hash)
    select coalesce(last, 0) + n, id, digest, hash
    from unnest(ids, digests, hashes) with ordinality as sealed (id, digest, hash, n);
  delete from unsealed_events where event_id = any(ids) and born <= born_until;
  perform pg_notify('castellan_events', 'sealed ' || coalesce(last, 0) + cardinality(ids));
  return cardinality(ids);
end $$;`;
