/**
 * better-auth with email and password, bearer tokens and organizations, nothing else, on a database of its own. Argument: its
 * URL. Prints what bench/peers.ts reads when it is ready; ends when its standard input does.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { bearer, organization } from 'better-auth/plugins';
import pg from 'pg';

const ORGANIZATIONS = 16;
const MEMBERS = 50;

const [connectionString] = process.argv.slice(2);
const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();

const options = {
  baseURL: `http://127.0.0.1:${port}`,
  secret: randomBytes(32).toString('base64'),
  database: new pg.Pool({ connectionString, max: 10 }),
  emailAndPassword: { enabled: true },
  plugins: [bearer(), organization()],
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
};
await (await getMigrations(options)).runMigrations();
const auth = betterAuth(options);

const users = [];
for (let n = 0; n < MEMBERS; n += 1) {
  const body = {
    name: `Pilot Number ${n}`,
    email: `pilot${n}@castellan.example`,
    password: randomBytes(16).toString('hex'),
  };
  users.push(await auth.api.signUpEmail({ body }));
}
const [owner, ...others] = users;
const paths = [];
for (let n = 0; n < ORGANIZATIONS; n += 1) {
  const body = { name: `Group Number ${n}`, slug: `group-${n}`, userId: owner.user.id };
  const { id: organizationId } = await auth.api.createOrganization({ body });
  for (const { user } of others)
    await auth.api.addMember({ body: { userId: user.id, organizationId, role: 'member' } });
  paths.push(
    `/api/auth/organization/get-full-organization?organizationId=${organizationId}&membersLimit=${MEMBERS}`,
  );
}

server.on('request', toNodeHandler(auth));
const headers = { authorization: `Bearer ${owner.token}` };
const reads = { caller: ['/api/auth/get-session'], group: paths };
process.stdout.write(`${JSON.stringify({ port, headers, reads })}\n`);

await once(process.stdin.resume(), 'end');
process.exit();
