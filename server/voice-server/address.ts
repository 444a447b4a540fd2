import { z } from 'zod';

/** The voice server's address and our login. */
export interface VoiceAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Id of the virtual server. */
  readonly serverId: number;
  /** Whether our address is in the voice server's query allowlist, so that its flood limit does not apply. */
  readonly allowlisted: boolean;
}

const USUAL_PORT = 10011;

/** VOICE_URL (D61): `ts3query://user:password@host:10011/?server_id=1`; a problem never quotes it. */
export const VoiceUrl = z.string().superRefine((value, context) => {
  const problem = problemOf(value);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

function problemOf(value: string): string | undefined {
  if (!/^ts3query:\/\//.test(value)) return 'must begin with ts3query://';
  if (!URL.canParse(value)) return 'is not a URL';
  const { username, password, hostname, pathname, hash, searchParams } = new URL(value);
  if (hostname === '') return 'names no host';
  if (username === '' || password === '') return 'needs a user and a password: ts3query://user:password@host';
  if (!isDecodable(username) || !isDecodable(password))
    return 'user and password must be properly percent-encoded';
  if (!['', '/'].includes(pathname) || hash !== '') return 'has a path or a fragment';
  const unknown = [...searchParams.keys()].find((name) => !['server_id', 'allowlisted'].includes(name));
  if (unknown !== undefined) return 'knows the parameters server_id and allowlisted alone';
  if (!/^[1-9]\d{0,8}$/.test(searchParams.get('server_id') ?? '1'))
    return 'server_id must be a number from 1';
  if (!/^(true|false)$/.test(searchParams.get('allowlisted') ?? 'false'))
    return 'allowlisted must be true or false';
  return undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The parts of a valid {@link VoiceUrl}. */
export function parseVoiceUrl(value: string): VoiceAddress {
  const { hostname, port, username, password, searchParams } = new URL(value);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? USUAL_PORT : Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    serverId: Number(searchParams.get('server_id') ?? '1'),
    allowlisted: searchParams.get('allowlisted') === 'true',
  };
}
