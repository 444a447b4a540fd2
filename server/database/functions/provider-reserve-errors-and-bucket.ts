/**
 * Reserves the cost of one request, or returns why not. Outcomes: `go`; `wait`, because the rest is reserved and may be
 * released, with a time if it is the caller itself that has reserved it; `banned`, `used-up`, `bucket`, `caller` with
 * the time until which it holds.
 */
export const providerReserve = `
create or replace function provider_reserve(
  at timestamptz, kept integer, counted boolean, lease_seconds double precision,
  bucket text, bucket_character bigint, bucket_cost integer, for_caller text, caller_limit integer,
  out outcome text, out until timestamptz, out turn bigint, out minute bigint, out probe boolean)
language plpgsql as $$
declare
  budget provider_error_budget;
  tokens provider_buckets;
  caller_row provider_callers;
  known boolean;
  -- What lies farther ahead was stored while the clock was wrong: no ban lasts longer than an hour (LONGEST_WAIT), and
  -- the clocks of processes may differ by a minute.
  farthest timestamptz := at + interval '61 minutes';
  present timestamptz := at + interval '1 minute';
begin
  minute := floor(extract(epoch from at) / 60);
  probe := false;
  loop
    select * into budget from provider_error_budget for update;
    exit when found;
    insert into provider_error_budget default values on conflict do nothing;
  end loop;
  if budget.banned_until > at and budget.banned_until <= farthest then
    outcome := 'banned'; until := budget.banned_until;
    return;
  end if;
  if budget.ends_on <= at or budget.heard_on > present then
    update provider_error_budget e
      set turn = e.turn + 1, carried = e.reserved, reserved = 0, ends_on = null, remaining = null, heard_on = null
      returning * into budget;
  end if;

  if for_caller is not null then
    -- Whatever its minute: its lock comes before the bucket's.
    select * into caller_row from provider_callers c where c.caller = for_caller for update;
    if caller_row.turn = minute and caller_row.errors + caller_row.reserved >= caller_limit then
      outcome := case when caller_row.errors >= caller_limit then 'caller' else 'wait' end;
      until := to_timestamp((minute + 1) * 60);
      return;
    end if;
  end if;

  if bucket is not null then
    select * into tokens from provider_buckets b
      where b.name = bucket and b.character_id = bucket_character for update;
    if tokens.blocked_until > at and tokens.blocked_until <= farthest then
      outcome := 'bucket'; until := tokens.blocked_until;
      return;
    end if;
    if tokens.turn = minute and tokens.reserved > 0
      and tokens.remaining < bucket_cost * (tokens.reserved + 1) then
      outcome := 'wait';
      return;
    end if;
  end if;

  if budget.remaining <= kept then
    outcome := 'used-up'; until := budget.ends_on;
    return;
  end if;
  if budget.remaining - kept - budget.reserved - budget.carried <= 0 then
    outcome := 'wait';
    return;
  end if;
  -- What was said a while ago may not be true any more: others may share the address.
  known := budget.remaining is not null and budget.heard_on > at - interval '2 seconds';
  if counted and not known then
    if budget.probe_until > at and budget.probe_until <= present then
      outcome := 'wait';
      return;
    end if;
    probe := true;
  end if;

  outcome := 'go';
  if counted or known then
    turn := budget.turn;
    update provider_error_budget e set reserved = e.reserved + 1,
      -- One that hangs must not keep the others for longer than this.
      probe_until = case when probe then at + least(lease_seconds, 1) * interval '1 second' else e.probe_until end;
  end if;
  if bucket is not null and counted is not true then
    insert into provider_buckets as b (name, character_id, turn, reserved, used_on)
      values (bucket, bucket_character, minute, 1, at)
      on conflict (name, character_id) do update set turn = minute, used_on = at,
        reserved = case when b.turn = minute then b.reserved else 0 end + 1;
  end if;
  if for_caller is not null then
    insert into provider_callers as c (caller, turn, reserved) values (for_caller, minute, 1)
      on conflict (caller) do update set turn = minute,
        errors = case when c.turn = minute then c.errors else 0 end,
        reserved = case when c.turn = minute then c.reserved else 0 end + 1;
  end if;
end $$`;
