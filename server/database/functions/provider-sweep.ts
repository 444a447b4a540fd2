/** Deletes a few of the rows that are not used any more. */
export const providerSweep = `
create or replace function provider_sweep(at timestamptz, most integer) returns void language sql as $$
  delete from provider_cache where (generation, key) in (
    select generation, key from provider_cache where kept_until < at
    order by kept_until limit most for update skip locked);
  delete from provider_buckets where (name, character_id) in (
    select name, character_id from provider_buckets where used_on < at - interval '24 hours'
    order by used_on limit most for update skip locked);
  delete from provider_callers where caller in (
    select caller from provider_callers where turn < extract(epoch from at) / 60 - 10
    order by turn limit most for update skip locked);
  delete from joined_answers where (caller, place) in (
    select caller, place from joined_answers where until < now() - interval '1 hour'
    limit most for update skip locked);
$$`;
