/** Trigger: events cannot be changed or deleted (D90). */
export const refuseChange = `
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are added, never changed or removed', tg_table_name using errcode = '55000';
end $$;`;
