import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSimulatedProvider } from '../../../dev/provider/provider.ts';
import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../../dev/voice-server/server.ts';

const GREETING = /^TS3\n\rWelcome to the TeamSpeak 3 ServerQuery interface, [^\n\r]+\n\r$/;

let voice: SimulatedVoiceServer;
beforeEach(async () => {
  voice = await startSimulatedVoiceServer();
});
afterEach(() => voice.stop());

/** A raw connection: sends lines, collects bytes. */
async function talk(server = voice) {
  const socket: Socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  let heard = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text;
  });
  await once(socket, 'connect');
  await expect.poll(() => heard).toMatch(/\n\r$/);
  const greeting = heard;
  return {
    greeting,
    socket,
    async say(line: string): Promise<string> {
      heard = '';
      socket.write(`${line}\n`);
      await expect.poll(() => heard).toMatch(/^error id=\d+ msg=.*\n\r$/m);
      return heard;
    },
  };
}

const LOGIN = 'login client_login_name=serveradmin client_login_password=simulated';

async function ready() {
  const { say } = await talk();
  for (const line of [LOGIN, 'use sid=1']) expect(await say(line)).toBe('error id=0 msg=ok\n\r');
  return say;
}

describe('the simulated voice server speaks ServerQuery (provider.md §3)', () => {
  it('greets with TS3 and a line of welcome', async () => {
    expect((await talk()).greeting).toMatch(GREETING);
  });

  it('requires login and a server before anything else', async () => {
    const { say } = await talk();
    expect(await say('version')).toMatch(/^version=\S+ build=\d+ platform=\w+\n\rerror id=0 msg=ok\n\r$/);
    expect(await say('clientlist')).toBe('error id=518 msg=not\\slogged\\sin\n\r');
    expect(await say('login client_login_name=serveradmin client_login_password=x')).toContain(
      'error id=520 ',
    );
    expect(await say(LOGIN)).toBe('error id=0 msg=ok\n\r');
    expect(await say('clientlist')).toContain('error id=1024 ');
    expect(await say('use sid=2')).toBe('error id=1024 msg=invalid\\sserverID\n\r');
    expect(await say('nonsense')).toBe('error id=256 msg=command\\snot\\sfound\n\r');
  });

  it('lists clients with escaped nicknames, including the query client itself', async () => {
    voice.world.connect('a |b/\\s', { clientDatabaseId: 7 });
    const answer = await (await ready())('clientlist');
    expect(answer).toBe(
      'clid=1 cid=1 client_database_id=7 client_nickname=a\\s\\pb\\/\\\\s client_type=0|' +
        'clid=2 cid=1 client_database_id=1 client_nickname=serveradmin\\sfrom\\s127.0.0.1 client_type=1\n\r' +
        'error id=0 msg=ok\n\r',
    );
  });

  it('keeps server groups: an empty one is 1281, a duplicate 1282 and 2561, no member 2563, no client 512', async () => {
    const say = await ready();
    const { clientDatabaseId: cldbid } = voice.world.connect('Somebody');
    expect(await say('servergroupadd name=Scouts')).toBe('sgid=9\n\rerror id=0 msg=ok\n\r');
    expect(await say('servergroupadd name=Scouts')).toContain('error id=1282 ');
    expect(await say(`servergroupadd name=${'x'.repeat(31)}`)).toContain('error id=1538 ');
    expect(await say('servergrouplist')).toContain('sgid=9 name=Scouts type=1 ');
    expect(await say('servergroupclientlist sgid=9')).toBe(
      'error id=1281 msg=database\\sempty\\sresult\\sset\n\r',
    );
    expect(await say('servergroupdelclient sgid=9 cldbid=2')).toContain('error id=2563 ');
    expect(await say(`servergroupaddclient sgid=9 cldbid=${cldbid}`)).toContain('error id=0 ');
    expect(await say(`servergroupaddclient sgid=9 cldbid=${cldbid}`)).toContain('error id=2561 ');
    expect(await say('servergroupaddclient sgid=9 cldbid=999')).toContain('error id=512 ');
    expect(await say('servergroupaddclient sgid=77 cldbid=2')).toContain('error id=2560 ');
    expect(await say('servergroupclientlist sgid=9')).toBe(`cldbid=${cldbid}\n\rerror id=0 msg=ok\n\r`);
  });

  it('a command for several clients stops at the first failure', async () => {
    const say = await ready();
    const [one, two, three] = ['a', 'b', 'c'].map((name) => voice.world.connect(name).clientDatabaseId);
    voice.world.members(6).add(two as number);
    expect(await say(`servergroupaddclient sgid=6 cldbid=${one}|cldbid=${two}|cldbid=${three}`)).toContain(
      'error id=2561 ',
    );
    expect([...voice.world.members(6)].sort()).toEqual([one, two]);
  });

  it('delivers messages, under a nickname that must be unique', async () => {
    const say = await ready();
    const { clid } = voice.world.connect('Somebody');
    expect(await say('clientupdate client_nickname=Somebody')).toContain('error id=513 ');
    expect(await say('clientupdate client_nickname=castellan')).toContain('error id=0 ');
    expect(await say(`sendtextmessage targetmode=1 target=${clid} msg=a\\sb`)).toContain('error id=0 ');
    expect(voice.world.messages).toEqual([{ clid, text: 'a b', from: 'castellan' }]);
  });

  it('counts commands: above the limit 524, then 3331, and at the next connection 3329', async () => {
    const strict = await startSimulatedVoiceServer({ floodLimit: 10 });
    const { say, socket } = await talk(strict);
    const ids: (string | undefined)[] = [];
    for (let n = 0; n < 15; n += 1) ids.push(/id=(\d+)/.exec(await say('version'))?.[1]);
    expect(ids).toEqual([...Array(10).fill('0'), ...Array(4).fill('524'), '3331']);
    if (!socket.closed) await once(socket, 'close');
    expect((await talk(strict)).greeting).toMatch(
      /^error id=3329 msg=\S+ extra_msg=you\\smay\\sretry\\sin\\s\d+\\s/,
    );
    await strict.stop();
  });
});

describe('its web page', () => {
  it('sets a client’s nickname for a challenge, and refuses what the voice server would refuse', async () => {
    const visitor = voice.world.connect('Visi<tor');
    voice.world.connect('Scout');
    const provider = await startSimulatedProvider({ clientId: 'a', clientSecret: 'b', voice });
    const take = (nickname: string) =>
      fetch(`${provider.url}/voice`, {
        method: 'POST',
        body: new URLSearchParams({ clid: String(visitor.clid), nickname }),
      });
    expect(await (await fetch(`${provider.url}/voice`)).text()).toContain('value="Visi&#60;tor"');
    expect(await (await take('k7Qm2XvR9tLb4WzC8nHd')).text()).toContain('value="k7Qm2XvR9tLb4WzC8nHd"');
    for (const refused of ['Scout', 'ab', 'x'.repeat(31)]) await take(refused);
    expect(visitor.nickname).toBe('k7Qm2XvR9tLb4WzC8nHd');
    await provider.stop();
    await expect(fetch(`${provider.url}/voice`)).rejects.toThrow();
  });
});
