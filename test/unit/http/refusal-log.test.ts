import { afterEach, expect, it, vi } from 'vitest';
import { type Refusal, refusalLog } from '../../../server/http/refusal-log.ts';

afterEach(() => vi.restoreAllMocks());

it('D2: requests that are refused unseen cannot fill the log: of each code there is one line a second', () => {
  let now = 5_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const lines: object[] = [];
  const note = refusalLog({ info: (line: object) => void lines.push(line) });
  const refused = (request_id: string, code: Refusal['code'] = 'http_unreadable') =>
    note({ request_id, status: 400, code, peer: '::ffff:203.0.113.7' });
  const line = (request_id: string, more: object = {}) => ({
    request_id,
    status: 400,
    code: 'http_unreadable',
    peer: '203.0.113.7',
    ...more,
  });
  for (const id of ['a', 'b', 'c']) refused(id);
  refused('d', 'headers_too_large');
  now += 999;
  refused('e');
  now += 1;
  refused('f');
  expect(lines).toEqual([line('a'), line('d', { code: 'headers_too_large' }), line('f', { untold: 3 })]);
});
