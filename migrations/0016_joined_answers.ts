import { type Kysely, sql } from 'kysely';

/** How many joined answers of one caller are at work, in all processes together (D30). */
const statements = [
  `create unlogged table joined_answers (
     caller text,
     place smallint,
     holder uuid not null,
     until timestamptz(3) not null,
     primary key (caller, place)
   )`,
  `comment on table joined_answers is
     'Joined answers at work: each caller has so many places, and who holds one renews it until the answer is over.'`,

  `-- Takes one of the places of a caller; false: all of them are taken.
   create function take_place(for_caller text, places integer, for_holder uuid, lease interval) returns boolean
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
   end $$`,

  `-- Removes a few of the rows that nobody will look at again.
   create or replace function provider_sweep(at timestamptz, most integer) returns void language sql as $$
     delete from provider_cache where (generation, key) in (
       select generation, key from provider_cache where kept_until < at
       order by kept_until limit most for update skip locked);
     delete from provider_buckets where (name, character_id) in (
       select name, character_id from provider_buckets where used_on < at - interval '1 day'
       order by used_on limit most for update skip locked);
     delete from provider_callers where caller in (
       select caller from provider_callers where turn < extract(epoch from at) / 60 - 10
       order by turn limit most for update skip locked);
     delete from joined_answers where (caller, place) in (
       select caller, place from joined_answers where until < now() - interval '1 hour'
       limit most for update skip locked);
   $$`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
