/** Takes one of a caller's slots; false when all are taken. */
export const takePlace = `
create or replace function take_place(for_caller text, places integer, for_holder uuid, lease interval) returns boolean
language plpgsql as $$
begin
  for number in 1..places loop
    insert into joined_answers as j (caller, place, holder, until)
      values (for_caller, number, for_holder, now() + lease)
      on conflict (caller, place) do update set holder = excluded.holder, until = excluded.until
        where j.until <= now();
    if found then
      return true;
    end if;
  end loop;
  return false;
end $$`;
