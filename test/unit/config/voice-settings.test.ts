import { describe, expect, it } from 'vitest';
import { readSettings, SettingsError } from '../../../server/config/settings.ts';
import { parseVoiceUrl } from '../../../server/voice-server/address.ts';

function problems(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readSettings(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

describe('D61: VOICE_URL', () => {
  it('is parsed, with user and password decoded; port and server have defaults', () => {
    expect(parseVoiceUrl('ts3query://server%20admin:p%40ss%2Fword@voice.example:10012/?server_id=3')).toEqual(
      {
        host: 'voice.example',
        port: 10012,
        user: 'server admin',
        password: 'p@ss/word',
        serverId: 3,
        allowlisted: false,
      },
    );
    expect(parseVoiceUrl('ts3query://u:p@[::1]?allowlisted=true')).toMatchObject({
      host: '::1',
      port: 10011,
      serverId: 1,
      allowlisted: true,
    });
  });

  it.each([
    'http://user:canary@voice',
    'ts3query://voice.example/?server_id=1',
    'ts3query://user@voice.example',
    'ts3query://:canary@voice.example',
    'ts3query://user:canary@',
    'ts3query://user:canary@voice:port',
    'ts3query://user:canary%zz@voice',
    'ts3query://user:canary@voice/path',
    'ts3query://user:canary@voice/?server_id=0',
    'ts3query://user:canary@voice/?server_id=one',
    'ts3query://user:canary@voice/?server=1',
    'ts3query://user:canary@voice/?allowlisted=yes',
  ])('%s is refused at the start, and not quoted', (VOICE_URL) => {
    const found = problems({ VOICE_URL, PORT: 'x' });
    expect(found.map((problem) => problem.split(':')[0]).sort()).toEqual(['PORT', 'VOICE_URL']);
    expect(found.join()).not.toContain('canary');
  });
});

describe('D41: VOICE_GROUPS', () => {
  const [one, two] = ['a1'.repeat(12), 'b2'.repeat(12)];

  it('are groups, each with an adopted server group or without', () => {
    expect(readSettings({ VOICE_GROUPS: ` ${one}, ${two}=17 ,` }).voice.groups).toEqual([
      { group_id: one, sgid: null },
      { group_id: two, sgid: 17 },
    ]);
    expect(readSettings({}).voice.groups).toEqual([]);
  });

  it.each([
    ['Scouts', 1],
    [`${one}=`, 1],
    [`${one}=0`, 1],
    [`${one}=x,${two}=y`, 2],
    [`${one},${one}=3`, 1],
    [`${one}=3,${two}=3`, 1],
  ])('%s has its problems listed', (VOICE_GROUPS, count) => {
    const found = problems({ VOICE_GROUPS });
    expect(found).toHaveLength(count);
    for (const problem of found) expect(problem).toMatch(/^VOICE_GROUPS: /);
  });
});
