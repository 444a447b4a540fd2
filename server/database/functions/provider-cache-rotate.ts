/**
 * Begins a new generation of the cache when the present one uses half of the allowed bytes, and truncates the older
 * one. TRUNCATE frees the disk at once, dead rows included; if a long read blocks it, the next call tries again.
 */
export const providerCacheRotate = `
create or replace function provider_cache_rotate(most bigint) returns boolean
language plpgsql set lock_timeout = '200ms' as $$
declare
  present smallint;
begin
  if not pg_try_advisory_xact_lock(hashtext('generations of the cache')) then
    return false;
  end if;
  select generation into present from provider_cache_state;
  present := coalesce(present, 0);
  if pg_total_relation_size(format('provider_cache_%s', present)::regclass) < most / 2 then
    return false;
  end if;
  execute format('truncate provider_cache_%s', 1 - present);
  insert into provider_cache_state (generation) values (1 - present)
    on conflict (one) do update set generation = excluded.generation;
  return true;
exception when lock_not_available then
  return false;
end $$`;
