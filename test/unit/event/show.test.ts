import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../server/event/read.queries.ts';
import { shown } from '../../../server/event/show.ts';

const [READER, COLLEAGUE, STRANGER] = [2_112_000_001, 2_112_000_002, 2_112_000_003];
const viewer = { characterId: READER, administrator: false };

function stored(event: object, seen: readonly number[], acted = false): StoredEvent {
  const body = {
    event_id: '0192d3f0-0000-7000-8000-000000000001',
    type: 'ext.asked_on_behalf',
    occurred_on: '2026-03-02T07:05:30.000Z',
    actor: {
      kind: 'app',
      character_id: COLLEAGUE,
      token: 'token',
      app_token: null,
      on_behalf_of: STRANGER,
    },
    targets: [],
    changes: [],
    reason: null,
    context_digest: null,
    ...event,
  };
  return {
    position: 1,
    body: JSON.stringify(body),
    context: null,
    seen,
    acted,
    hidesActor: false,
    hidesPerson: false,
    hidesCause: false,
  };
}

describe('D94: what an event shows of others', () => {
  it('names users on whose behalf the game was requested to themselves and to readers with authority over them', () => {
    const targets = [{ type: 'user', id: String(STRANGER), name: 'Somebody' }];
    const { actor } = shown(stored({ targets }, [READER, COLLEAGUE]), viewer);
    expect(actor).toMatchObject({ character_id: COLLEAGUE, on_behalf_of: null, token: null });
    expect(shown(stored({ targets }, [READER, STRANGER]), viewer).actor.on_behalf_of).toBe(STRANGER);
  });

  it('shows an event about a webhook in full only to its actor', () => {
    const event = {
      type: 'webhook.updated',
      targets: [{ type: 'webhook', id: '66f2a1b3c4d5e6f708192a3c', name: 'https://app.example' }],
      changes: [{ field: 'types', before: null, after: ['group.*'] }],
      reason: 'It has a new secret.',
    };
    expect(shown(stored(event, [READER, COLLEAGUE]), viewer)).toMatchObject({
      targets: [],
      changes: [],
      reason: null,
    });
    expect(shown(stored(event, [READER], true), viewer)).toMatchObject(event);
  });
});
