/**
 * Trigger on new events: enqueues their sealing, stores what they are about and notifies all subscribers at the commit,
 * whichever code wrote the event.
 */
export const eventsArrive = `
create or replace function events_arrive() returns trigger language plpgsql as $$
begin
  insert into unsealed_events (event_id, digest)
    select event_id, sha256(convert_to(body, 'UTF8')) from arrived order by event_id;
  insert into event_subjects (key, event_id)
    select distinct key, event_id
    from arrived, unnest(targets || array(select 'user:' || id from unnest(concerns) id)) key;
  perform pg_notify('castellan_events', 'written') where exists (select from arrived);
  return null;
end $$;`;
