// An application of one page: signs somebody in, says who it is, and asks a back end for what only a group may see.
//
// It is served by a back end, such as ../express/server.mjs: castellan lets nobody begin a sign-in but who holds the
// application's token, and that is no secret any more once a browser has it.
import { CastellanError, createCastellan, ok } from '@castellan/sdk';
import { signIn } from '@castellan/sdk/sign-in';

const element = (id) => document.getElementById(id);
const json = async (path, init) => (await fetch(path, init)).json();

const { castellan_url } = await json('/settings');
const castellan = createCastellan({
  baseUrl: castellan_url,
  token: () => sessionStorage.getItem('token') ?? undefined,
});

element('sign-in').onclick = async () => signIn.start(await json('/begin', { method: 'POST' }));
element('sign-out').onclick = async () => {
  const answer = await castellan.token.logout.answer();
  // A token that does not count any more is signed out already.
  if (answer.status !== 401) await ok(answer);
  sessionStorage.removeItem('token');
  await show();
};

try {
  // This may be the page that a sign-in ends at.
  const token = signIn.finish();
  if (token !== undefined) sessionStorage.setItem('token', token);
  await show();
} catch (error) {
  element('said').textContent = error.message;
  element('sign-in').hidden = false;
}

async function show() {
  const owner = await whoIsIt();
  element('sign-in').hidden = owner !== undefined;
  element('sign-out').hidden = owner === undefined;
  element('said').textContent = owner === undefined ? 'Nobody.' : `You are ${owner.tickered_name}.`;
  element('plan').textContent = owner === undefined ? '' : await plan();
}

/** Whose token this is; nobody's where there is none, or where it does not count any more. */
async function whoIsIt() {
  if (sessionStorage.getItem('token') === null) return undefined;
  try {
    return (await castellan.token.current()).owner;
  } catch (error) {
    if (!(error instanceof CastellanError) || error.status !== 401) throw error;
    sessionStorage.removeItem('token');
    return undefined;
  }
}

/** What the back end shows to the group, or why it does not. */
async function plan() {
  const { plan: text, detail } = await json('/plan', {
    headers: { Authorization: `Bearer ${sessionStorage.getItem('token')}` },
  });
  return text ?? detail;
}
