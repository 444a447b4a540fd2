import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../../dev/voice-server/server.ts';
import { parseVoiceUrl } from '../../../server/voice-server/address.ts';
import { type VoiceServer, withVoiceServer } from '../../../server/voice-server/voice-server.ts';

/** The documented table of escapes (provider.md §3), with which both sides are compared. */
const TABLE: readonly (readonly [string, string])[] = [
  ['\\', '\\\\'],
  ['/', '\\/'],
  [' ', '\\s'],
  ['|', '\\p'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
];
const EVERYTHING = TABLE.map(([plain]) => plain).join('');
/** Each character alone, texts that look like an escape, and all together. */
const TEXTS = [
  ...TABLE.map(([plain]) => `a${plain}b`),
  ...TABLE.map(([, escaped]) => `${escaped}s`),
  EVERYTHING,
  `${EVERYTHING.split('').reverse().join('=')}é💥`,
];
const LIMITS = { connect: 60_000, command: 60_000, total: 60_000 };

let voice: SimulatedVoiceServer;
beforeEach(async () => {
  voice = await startSimulatedVoiceServer();
});
afterEach(() => voice.stop());

const withClient = <T>(work: (client: VoiceServer) => Promise<T>) =>
  withVoiceServer(parseVoiceUrl(voice.url), { limits: LIMITS }, work);

/** The raw answer of the stand-in to these lines. */
async function answersTo(lines: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(voice.url).port), '127.0.0.1');
  let heard = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text;
  });
  socket.write([...lines, 'quit', ''].join('\n'));
  await once(socket, 'close');
  return heard;
}

const READY = ['login client_login_name=serveradmin client_login_password=simulated', 'use sid=1'];

describe('the client and the stand-in, which share no parser (provider.md §3)', () => {
  it.each(TEXTS)('%j reaches the stand-in as the client sent it', async (text) => {
    const { clid } = voice.world.connect('Somebody');
    await withClient((client) => client.sendMessage(clid, text));
    expect(voice.world.messages.map((message) => message.text)).toEqual([text]);
  });

  it.each(TEXTS)('%j reaches the client as the stand-in sent it', async (text) => {
    voice.world.connect(text, { clientDatabaseId: 7 });
    voice.world.connect('the next one');
    const clients = await withClient((client) => client.clients());
    expect(clients.filter(({ isVoice }) => isVoice).map(({ nickname }) => nickname)).toEqual([
      text,
      'the next one',
    ]);
  });

  it.each(TABLE)('%j is %j on the wire, and never itself', async (plain, escaped) => {
    const { clid } = voice.world.connect(`<${plain}>`);
    const send = (text: string) => `sendtextmessage targetmode=1 target=${clid} msg=${text}`;
    const heard = await answersTo([...READY, 'clientlist', send(escaped), send(`<${plain}>`)]);
    expect(heard).toContain(` client_nickname=<${escaped}> `);
    expect(voice.world.messages.map(({ text }) => text).slice(0, 1)).toEqual([plain]);
    expect(voice.world.messages.map(({ text }) => text)).not.toContain(`<${plain}>`);
  });

  it.each(['\\', 'a\\', '\\x', '\\ ', 'a/b'])('%j is refused by the stand-in', async (text) => {
    const heard = await answersTo([...READY, `servergroupadd name=${text}`]);
    expect(heard).toContain('error id=1538 ');
    expect([...voice.world.groups.keys()]).toEqual([1, 3, 6, 8]);
  });
});
