import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, FaultTarget } from '../../../dev/provider/faults.ts';
import type { SimulatedProvider } from '../../../dev/provider/provider.ts';
import type { SimulatedVoiceServer } from '../../../dev/voice-server/server.ts';

/** What the service has to do with. */
export interface Outside {
  readonly provider: SimulatedProvider;
  readonly voice: SimulatedVoiceServer;
  /** How the application answers that is called back. */
  answer: (response: ServerResponse) => void;
}

/** Begins a trouble; what it returns ends it. */
type Begin = (outside: Outside) => () => void;

export const fine = (response: ServerResponse): void => void response.writeHead(204).end();

/** More than is read of an answer. */
const OVERSIZED = 9 * 1024 * 1024;
/** Milliseconds that the provider takes when it is slow. */
const SLOW = 2_000;
const slow: Fault = {
  kind: 'hold',
  // Each answer has its own delay.
  get until() {
    return sleep(SLOW);
  },
};

/** Requests meet one of these at random. */
function faults(target: FaultTarget, ...kinds: readonly Fault[]): Begin {
  return ({ provider }) => {
    const active = kinds.map((fault, n) =>
      provider.faults.add(target, fault, { probability: 1 / (kinds.length - n) }),
    );
    return () => {
      for (const { clear } of active) clear();
    };
  };
}

function receiver(answer: Outside['answer']): Begin {
  return (outside) => {
    outside.answer = answer;
    return () => {
      outside.answer = fine;
    };
  };
}

/** Troubles outside of the service and its database, by name. */
export const TROUBLES = {
  'the provider is slow': faults('api', slow),
  'the provider fails': faults(
    'api',
    { kind: 'status', status: 500 },
    { kind: 'status', status: 502, as: 'html' },
    { kind: 'status', status: 503, as: 'text' },
  ),
  'the error limit is used up': ({ provider }) => {
    provider.setErrorLimit({ remaining: 0 });
    return () => provider.setErrorLimit({ remaining: 100 });
  },
  'the provider sends what is no JSON': faults(
    'api',
    { kind: 'not json' },
    { kind: 'truncate' },
    { kind: 'oversized', bytes: OVERSIZED },
  ),
  'connections to the provider are cut': faults('api', { kind: 'reset' }, { kind: 'lose answer' }),
  'the sign-on is down': faults(
    '/v2/oauth/token',
    { kind: 'status', status: 503, as: 'text' },
    { kind: 'reset' },
    { kind: 'hang' },
  ),
  'the voice server is gone': ({ voice }) => {
    voice.strike = ({ at, nth }) =>
      at === 'connect' ? { kind: nth % 2 === 0 ? 'reset' : 'mute' } : undefined;
    return () => {
      voice.strike = () => undefined;
    };
  },
  'the webhook hangs': receiver(() => undefined),
  'the webhook fails': receiver((response) => response.writeHead(500).end()),
} as const satisfies Readonly<Record<string, Begin>>;

export type Trouble = keyof typeof TROUBLES;
