/** Releases a reservation and stores what the answer's headers said about the limits. */
export const providerSettle = `
create or replace function provider_settle(
  at timestamptz, reserved_turn bigint, reserved_minute bigint, was_probe boolean, failed boolean,
  heard_remaining integer, heard_reset integer, banned timestamptz,
  bucket text, bucket_character bigint, bucket_held boolean, bucket_remaining integer, bucket_blocked timestamptz,
  for_caller text, caller_failed boolean)
returns void language plpgsql as $$
declare
  budget provider_error_budget;
  heard_end timestamptz := at + heard_reset * interval '1 second';
  -- What lies farther ahead was stored while the clock was wrong, as in provider_reserve.
  farthest timestamptz := at + interval '61 minutes';
begin
  if reserved_turn is not null or failed or heard_remaining is not null or banned is not null then
    select * into budget from provider_error_budget for update;
    if budget.turn = reserved_turn then
      budget.reserved := greatest(budget.reserved - 1, 0);
    elsif budget.turn = reserved_turn + 1 then
      budget.carried := greatest(budget.carried - 1, 0);
    end if;
    if was_probe then
      budget.probe_until := null;
    end if;
    if heard_remaining is null then
      if failed then
        budget.remaining := budget.remaining - 1;
      elsif reserved_turn is not null and not bucket_held then
        -- A provider that says nothing of its limit has all of it left, until it says more.
        budget.ends_on := coalesce(budget.ends_on, at + interval '10 seconds');
        budget.remaining := coalesce(budget.remaining, 100);
        budget.heard_on := at;
      end if;
    elsif budget.remaining is null or heard_end > budget.ends_on + interval '5 seconds' then
      if budget.remaining is not null then
        budget.turn := budget.turn + 1;
        -- Without those of two turns ago, which no answer releases any more, as in provider_reserve.
        budget.carried := budget.reserved;
        budget.reserved := 0;
      end if;
      budget.remaining := heard_remaining;
      budget.ends_on := heard_end;
      budget.heard_on := at;
    elsif heard_end > budget.ends_on - interval '5 seconds' then
      -- Answers overtake each other, and within a minute the rest only shrinks.
      budget.remaining := least(budget.remaining, heard_remaining);
      budget.heard_on := at;
    end if;
    budget.banned_until :=
      greatest(case when budget.banned_until <= farthest then budget.banned_until end, banned);
    update provider_error_budget e set turn = budget.turn, ends_on = budget.ends_on,
      remaining = budget.remaining, heard_on = budget.heard_on, reserved = budget.reserved,
      carried = budget.carried, probe_until = budget.probe_until, banned_until = budget.banned_until;
  end if;

  if for_caller is not null then
    update provider_callers c set errors = c.errors + caller_failed::int, reserved = greatest(c.reserved - 1, 0)
      where c.caller = for_caller and c.turn = reserved_minute;
  end if;
  if bucket is not null and (bucket_held or bucket_remaining is not null or bucket_blocked is not null) then
    insert into provider_buckets as b (name, character_id, turn, remaining, blocked_until, used_on)
      values (bucket, bucket_character, reserved_minute, bucket_remaining, bucket_blocked, at)
      on conflict (name, character_id) do update set used_on = at,
        remaining = coalesce(bucket_remaining, b.remaining),
        blocked_until = greatest(case when b.blocked_until <= farthest then b.blocked_until end, bucket_blocked),
        reserved = case when bucket_held and b.turn = reserved_minute then greatest(b.reserved - 1, 0)
          else b.reserved end;
  end if;
end $$`;
