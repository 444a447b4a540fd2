/** Trigger: the decision on an application cannot be changed (D111). */
export const keepDecidedApplication = `
create or replace function keep_decided_application() returns trigger language plpgsql as $$
begin
  raise exception 'a decided application stays as it was decided' using errcode = 'integrity_constraint_violation';
end $$;`;
