import { strict as assert } from 'node:assert';
import { CastellanError, createCastellan, createClient, ok, paginate } from '@castellan/sdk';
import { createQueries } from '@castellan/sdk/query';
import { EXT_SCOPES } from '@castellan/sdk/scopes';
import { createGuard, createVerifier } from '@castellan/sdk/server';
import { signIn } from '@castellan/sdk/sign-in';
import { Group } from '@castellan/sdk/zod';

assert.ok(EXT_SCOPES.includes('publicData'));
const fetch = async () => Response.json({ detail: 'Not here.' }, { status: 404 });
const castellan = createCastellan({ baseUrl: 'https://castellan.example', fetch });
await assert.rejects(
  castellan.group.list(),
  (error) => error instanceof CastellanError && error.status === 404,
);
// The error class is one, whichever entry throws it.
const guard = createGuard({
  baseUrl: 'https://castellan.example',
  appToken: '1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b',
  fetch,
});
await assert.rejects(guard.check(undefined), CastellanError);
assert.equal(createQueries(castellan).group.list().queryKey[1], 'group');
for (const it of [createClient, ok, paginate, createVerifier, signIn.start])
  assert.equal(typeof it, 'function');
assert.equal(Group.safeParse({}).success, false);
