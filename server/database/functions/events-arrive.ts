/**
 * Trigger on new events: enqueues their sealing and notifies all subscribers at the commit, whichever code wrote the
 * event.
 */
export const eventsArrive = `
create or replace function events_arrive() returns trigger language plpgsql as $$
begin
  insert into unsealed_events (event_id, digest)
    select event_id, sha256(convert_to(body, 'UTF8')) from arrived order by event_id;
  perform pg_notify('castellan_events', 'written') where exists (select from arrived);
  return null;
end $$;`;
