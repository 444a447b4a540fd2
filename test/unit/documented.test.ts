import { describe, expect, it } from 'vitest';
import { expectDocumented, type Given } from '../harness/documented.ts';

const LIST: Given = { method: 'GET', path: '/group?x=1', status: 200, type: 'application/json', text: '[]' };
const given = (change: Partial<Given>) => () => expectDocumented({ ...LIST, ...change });

describe('comparing answers with the OpenAPI document', () => {
  it('accepts documented answers, and paths that it does not describe', () => {
    expect(given({})).not.toThrow();
    expect(given({ text: '[{"group_id":"66f2a1b3c4d5e6f708192a3c","group_name":"Scouts"}]' })).not.toThrow();
    expect(given({ path: '/nothing', status: 418 })).not.toThrow();
    expect(given({ method: 'OPTIONS', status: 204 })).not.toThrow();
  });

  it.each([
    ['a status', { status: 418 }],
    ['a text that names the codes of a service at its start', { text: '["service_starting"]' }],
    ['a media type', { type: 'text/html' }],
    ['a body that is missing', { type: null, text: '' }],
    ['a body of another shape', { text: '[{"group_id":"66f2a1b3c4d5e6f708192a3c"}]' }],
    ['a value of another form', { text: '[{"group_id":"x","group_name":"Scouts"}]' }],
    ['an error of another shape', { status: 500, text: '{"detail":"Internal Server Error"}' }],
    ['a page where an error belongs', { status: 404, type: 'text/html', text: '<p>' }],
  ])('refuses %s that it does not name', (_, change) => {
    expect(given(change)).toThrow(/GET \/group answered with/);
  });

  it('D73: refuses a code that the operation does not document', () => {
    const refusal = (code: string) => ({ status: 404, text: JSON.stringify({ detail: '', code }) });
    const path = '/group/66f2a1b3c4d5e6f708192a3d';
    expect(given({ path, ...refusal('not_found') })).not.toThrow();
    expect(given({ path, ...refusal('voice_client_missing') })).toThrow(
      /by voice_client_missing where .+ not_found/,
    );
  });

  it('matches the path of a history, not that of a forwarded request', () => {
    const path = '/ext/history/characters/1/wallet';
    expect(given({ path })).not.toThrow();
    expect(given({ path, text: '{}' })).toThrow(/wallet/);
    const forwarded = { data: null, headers: {}, id_annotations: {}, status_code: 200 };
    expect(given({ path: '/ext/a/b', text: JSON.stringify(forwarded) })).not.toThrow();
    expect(given({ path: '/ext/a/b', status: 420, text: '{"detail":""}' })).toThrow(/420/);
  });
});
