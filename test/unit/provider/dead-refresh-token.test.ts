import { describe, expect, it } from 'vitest';
import { OAUTH_FAULTS } from '../../../dev/provider/faults.ts';
import { causeOfDeath } from '../../../server/provider/dead-refresh-token.ts';

const TOKEN = 'Zm9v+opaque/bar==';
const answer = (status: number, body: unknown) =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });

describe('D34: the answers that mean a dead refresh token', () => {
  it.each(Object.entries(OAUTH_FAULTS))('%s', async (_, { status, error, description, deadly }) => {
    const cause = await causeOfDeath(answer(status, { error, error_description: description }), TOKEN);
    expect(cause !== undefined).toBe(deadly);
    if (deadly) expect(cause).toBe(description === '' ? error : `${error}: ${description}`);
  });

  it.each([null, 7])('the error alone tells it, with %j as its description', async (error_description) => {
    const error = 'invalid_grant: Token is expired';
    expect(await causeOfDeath(answer(400, { error, error_description }), TOKEN)).toBe(error);
  });

  it.each([
    ['an unknown description', answer(400, { error: 'invalid_grant', error_description: 'Odd.' })],
    ['no description', answer(400, { error: 'invalid_grant' })],
    ['null as its description', answer(400, { error: 'invalid_grant', error_description: null })],
    [
      'a deadly sentence under another error',
      answer(400, { error: 'invalid_request', error_description: 'The refresh token is expired.' }),
    ],
    [
      'a deadly answer with a 5xx',
      answer(503, { error: 'invalid_token', error_description: 'The refresh token is expired.' }),
    ],
    [
      'a deadly answer with a 200',
      answer(200, { error: 'invalid_token', error_description: 'The refresh token is expired.' }),
    ],
    ['plain text', answer(400, 'The refresh token is expired.')],
    ['a list', answer(400, ['invalid_grant'])],
    [
      'an inherited name',
      answer(400, { error: 'constructor', error_description: 'The refresh token is expired.' }),
    ],
  ])('not %s', async (_, response) => {
    expect(await causeOfDeath(response, TOKEN)).toBeUndefined();
  });

  it.each([TOKEN, 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln'])(
    'never stores a token that the provider repeats in an error, such as %s',
    async (token) => {
      const told = { error: 'invalid_grant', error_description: `${token}: Token missing/expired.` };
      const cause = await causeOfDeath(answer(400, told), TOKEN);
      expect(cause).toBe('invalid_grant: **********: Token missing/expired.');
    },
  );

  it('does not consume the body', async () => {
    const response = answer(400, { error: 'invalid_client' });
    await causeOfDeath(response, TOKEN);
    expect(await response.json()).toEqual({ error: 'invalid_client' });
  });
});
