import type { contract } from '../../contract/index.ts';
import type { Handler, Handlers } from '../http/mount.ts';
import type { Services } from '../services/services.ts';
import { linkCharacter } from './link.ts';
import { mergePersons, splitPerson } from './merge.ts';
import { getHistory, getPersonNamed, getPersonOf, unlinkCharacter, updatePerson } from './person.ts';

export function personHandlers(services: Services): Handlers<typeof contract.person> {
  return {
    current: async ({ caller }) => ({ status: 200, body: await getPersonOf(services, caller.owner_id) }),
    link: async ({ admission, body }) => ({
      status: 200,
      body: await linkCharacter(services, admission, body.user_token),
    }),
    unlink: async ({ admission, params }) => ({
      status: 200,
      body: await unlinkCharacter(services, admission, params.character_id),
    }),
    update: async ({ admission, body }) => ({
      status: 200,
      body: await updatePerson(services, admission, body.main),
    }),
    merge: async ({ admission, params, query, body }) => ({
      status: 200,
      body: await mergePersons(services, admission, params.person_id, tried(body, query)),
    }),
    split: async ({ admission, params, query, body }) => ({
      status: 200,
      body: await splitPerson(services, admission, params.person_id, tried(body, query)),
    }),
    history: async ({ params }) => ({ status: 200, body: await getHistory(services, params.person_id) }),
  };
}

/** A dry run may be asked for in the body or in the query. */
function tried<Body extends { readonly dry_run?: boolean | null | undefined }>(
  body: Body,
  { dry_run }: { readonly dry_run: boolean },
): Body {
  return dry_run ? { ...body, dry_run } : body;
}

export function personOfUserHandler(services: Services): Handler<typeof contract.user.person> {
  return async ({ caller, params }) => ({
    status: 200,
    body: await getPersonNamed(services, caller, params.character),
  });
}
