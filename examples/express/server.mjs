// A back end: begins sign-ins, and shows a page to the members of a group alone.
//
//   npm install ./castellan-sdk-*.tgz express jose      (the first: npm pack --workspace sdk in a checkout)
//   CASTELLAN_URL=https://castellan.example CASTELLAN_APP_TOKEN=… CASTELLAN_TOKEN=… GROUP_ID=… node server.mjs
//
// CASTELLAN_URL is the BASE_URL of the service. The app token is a dynamic one, whose callback is the address of the
// page here (http://127.0.0.1:3000/); the other token is a permanent one of level 0 or more, which reads the group.
// The page is ../browser, or whatever folder PAGE names.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCastellan } from '@castellan/sdk';
import { createGuard, createVerifier } from '@castellan/sdk/server';
import express from 'express';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const {
  CASTELLAN_URL = 'http://127.0.0.1:8080',
  CASTELLAN_APP_TOKEN = '',
  CASTELLAN_TOKEN,
  GROUP_ID = '',
  PAGE = here('../browser'),
  PORT = '3000',
} = process.env;

const signOn = createCastellan({ baseUrl: CASTELLAN_URL, token: CASTELLAN_APP_TOKEN });
const castellan = createCastellan({ baseUrl: CASTELLAN_URL, token: CASTELLAN_TOKEN });
// Tokens of other applications are refused; of what is left, castellan knows whether it still counts.
const guard = createGuard({
  baseUrl: CASTELLAN_URL,
  appToken: CASTELLAN_APP_TOKEN,
  verify: createVerifier({ issuer: CASTELLAN_URL, appToken: CASTELLAN_APP_TOKEN }),
});

/** Whether the owner of a token is in the group at this moment. */
async function inGroup({ owner }) {
  const { members } = await castellan.group.get({ params: { group_id: GROUP_ID } });
  return members.some(({ character_id }) => character_id === owner.character_id);
}

const app = express();
app.get('/settings', (_req, res) => res.json({ castellan_url: CASTELLAN_URL }));
app.post('/begin', (_req, res, next) => {
  signOn.token.startLogin({ body: {} }).then((login) => res.json(login), next);
});
app.get('/plan', guard.express({ allow: inGroup }), (_req, res) => {
  const { character_name } = res.locals.castellan.owner;
  res.json({ plan: `${character_name}, we hold the gate.` });
});
app.use('/sdk', express.static(dirname(fileURLToPath(import.meta.resolve('@castellan/sdk')))));
app.use(express.static(PAGE));
app.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${PORT}/\n`));
