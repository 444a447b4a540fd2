import { admitUser } from '../fixtures/registry.ts';
import { addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import type { Client, TestApp } from './app.ts';

/** Creates a user who may log in, with a permanent token. */
export async function callerAt(
  app: TestApp,
  user: { readonly id: number; readonly level: number; readonly corporation?: number },
): Promise<Client> {
  await addUser(app, user);
  await admitUser(app, user.id);
  const { jwt } = await makeToken(app, 'per', user.id, uuidOf(app.root));
  return app.client(jwt);
}
