import { escapeHtml, page } from '../web/html.ts';
import { type Answer, redirect } from '../web/http.ts';
import type { SimulatedVoiceServer } from './server.ts';

/** Where the simulated provider shows it. */
export const VOICE_PATH = '/voice';
const LONGEST = 30;
const SHORTEST = 3;

/** Who is on the simulated voice server, each with a nickname that can be changed. */
export function voicePage({ world }: SimulatedVoiceServer): Answer {
  const rows = world.clients
    .filter(({ isVoice }) => isVoice)
    .map(
      ({ clid, clientDatabaseId, nickname }) =>
        `<tr><th scope="row">${clientDatabaseId}</th><td><form method="post" class="row">
<input type="hidden" name="clid" value="${clid}">
<input name="nickname" value="${escapeHtml(nickname)}" minlength="${SHORTEST}" maxlength="${LONGEST}" required
 aria-label="Nickname of identity ${clientDatabaseId}"><button>Take this nickname</button></form></td>
<td>${escapeHtml(groupsOf(world, clientDatabaseId))}</td></tr>`,
    )
    .join('');
  const messages = world.messages
    .slice(-10)
    .map(({ clid, text }) => `<li>to client ${clid}: ${escapeHtml(text)}</li>`)
    .join('');
  return page(
    200,
    'Simulated voice server',
    `<p>To prove who you are: start a challenge (<code>POST /voice/auth/start</code>), give one of these clients the
nickname that it answers, then complete the challenge (<code>POST /voice/auth/complete</code>).</p>
<table><thead><tr><th>Identity</th><th>Nickname</th><th>Server groups</th></tr></thead><tbody>${rows}</tbody></table>
<h2>Messages</h2>${messages === '' ? '<p class="note">None yet.</p>' : `<ul>${messages}</ul>`}`,
  );
}

/** Gives a client its nickname, and shows the page again; what the voice server would not take is left as it is. */
export function takeNickname({ world }: SimulatedVoiceServer, form: URLSearchParams): Answer {
  const client = world.clients.find(({ clid }) => String(clid) === form.get('clid'));
  const nickname = form.get('nickname')?.trim() ?? '';
  const free = world.clients.every((other) => other === client || other.nickname !== nickname);
  if (client !== undefined && free && nickname.length >= SHORTEST && nickname.length <= LONGEST) {
    client.nickname = nickname;
  }
  return redirect(303, VOICE_PATH);
}

function groupsOf(world: SimulatedVoiceServer['world'], clientDatabaseId: number): string {
  const names = [...world.groups].flatMap(([sgid, { name }]) =>
    world.members(sgid).has(clientDatabaseId) ? [name] : [],
  );
  return names.join(', ') || 'none';
}
