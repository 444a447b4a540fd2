import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { nameKey } from '../../server/database/name-key.ts';
import type { TestApp } from '../harness/app.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';

const CLIENT = 'c1'.repeat(12);
/** Share of the notices that the relying party is too busy for. */
const BUSY = 0.4;

/** A relying party that is told when sessions end. */
export interface Logouts {
  readonly receiver: Receiver;
  /** Sessions that it took the end of, notice by notice. */
  readonly taken: string[];
  /** Enqueues the notice of a session's end, as everything does that ends one; returns the session's id. */
  end(characterId: number): Promise<string>;
}

export async function startLogouts(app: TestApp, random: () => number): Promise<Logouts> {
  const { db, queue } = app.app.services;
  const receiver = await startReceiver();
  const taken: string[] = [];
  receiver.answer = (response) => {
    const busy = random() < BUSY;
    if (!busy) taken.push(sidOf(receiver.received.at(-1)?.body ?? ''));
    response.writeHead(busy ? 503 : 200).end();
  };
  await db
    .insertInto('oidc_clients')
    .values({
      ...{ client_id: CLIENT, client_name: 'Wiki', name_key: nameKey('Wiki'), secret_hash: null },
      ...{ redirect_uris: ['https://wiki.example/back'], post_logout_redirect_uris: [] },
      ...{ backchannel_logout_uri: receiver.callback, id_token_alg: null },
      ...{ first_party: true, restricted: false, last_used_on: null },
    })
    .execute();
  return {
    receiver,
    taken,
    async end(characterId) {
      const sid = randomUUID();
      await queue.send(db, 'send-logout', { client_id: CLIENT, character_id: characterId, sid, attempt: 0 });
      return sid;
    },
  };
}

function sidOf(body: string): string {
  return String(decodeJwt(new URLSearchParams(body).get('logout_token') ?? '')['sid']);
}

/** Every end of a session was told, and none that was not; how many of them more than once. */
export function checkLogouts({ taken }: Logouts, ended: readonly string[]): object {
  const told = new Set(taken);
  expect([...told].toSorted()).toEqual([...ended].toSorted());
  return { logouts: ended.length, toldAgain: taken.length - told.size };
}
