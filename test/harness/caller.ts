import { admitUser } from '../fixtures/registry.ts';
import { addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import type { Client, TestApp } from './app.ts';

/** A user of the test's own making with a permanent token, who may log in. */
export async function callerAt(
  app: TestApp,
  user: { readonly id: number; readonly level: number; readonly corporation?: number },
): Promise<Client> {
  await addUser(app, user);
  await admitUser(app, user.id);
  const { jwt } = await makeToken(app, 'per', user.id, uuidOf(app.root));
  return app.client(jwt);
}
