import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog, openLog } from '../../../server/observability/log.ts';
import { readableLog } from '../../../server/observability/readable-log.ts';

/** The standard output of `work`, on a terminal or not. */
async function printed(atTerminal: boolean, work: () => Promise<void>): Promise<string> {
  const isTTY = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
  Object.defineProperty(process.stdout, 'isTTY', { value: atTerminal, configurable: true });
  let text = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  try {
    await work();
  } finally {
    write.mockRestore();
    if (isTTY === undefined) Reflect.deleteProperty(process.stdout, 'isTTY');
    else Object.defineProperty(process.stdout, 'isTTY', isTTY);
  }
  return text;
}

const JSON_LINE = /^\{"level":"info",.*"msg":"hello"\}\n$/;
const TEXT_LINE = /^\[\d\d:\d\d:\d\d\.\d{3}\] .*INFO.*: .*hello.*\n$/;

describe('LOG_FORMAT: text for people in a terminal, outside production', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    [{ atTerminal: true, production: false, logFormat: undefined }, TEXT_LINE],
    [{ atTerminal: false, production: false, logFormat: undefined }, JSON_LINE],
    [{ atTerminal: true, production: true, logFormat: undefined }, JSON_LINE],
    [{ atTerminal: true, production: false, logFormat: 'json' }, JSON_LINE],
    [{ atTerminal: false, production: true, logFormat: 'pretty' }, TEXT_LINE],
  ] as const)('%j', async ({ atTerminal, ...settings }, form) => {
    const text = await printed(atTerminal, async () => {
      (await openLog({ logLevel: 'info', ...settings })).info('hello');
    });
    expect(text).toMatch(form);
  });
});

describe('the log as text', () => {
  function textOf(work: (log: ReturnType<typeof createLog>) => void): string {
    let text = '';
    work(
      createLog(
        'debug',
        readableLog((part) => (text += part), false),
      ),
    );
    return text.replaceAll(/^\[[\d:.]+\] /gm, '');
  }

  it('formats a request in a readable way', () => {
    const line = { request_id: 'abc', method: 'GET', path: '/token', status: 200, milliseconds: 3.1 };
    expect(textOf((log) => log.info(line, 'request'))).toBe(
      'INFO: GET /token 200, 3.1 ms {"request_id":"abc"}\n',
    );
  });

  it('shows an error with its stack and its cause, line by line', () => {
    const error = new Error('outer', { cause: new TypeError('inner') });
    const text = textOf((log) => log.error({ err: error }, 'uncaught exception'));
    expect(text).toMatch(/^ERROR: uncaught exception *\n/);
    expect(text).toMatch(/^\s+Error: outer\n\s+at /m);
    expect(text).toMatch(/^\s+TypeError: inner\n\s+at /m);
  });

  it('removes terminal control sequences from foreign text', () => {
    const text = textOf((log) => log.warn({ detail: '\u001b[2J\u0007\u009b31m' }, 'a\u001b]0;b'));
    expect([...text.trimEnd()].filter((character) => /\p{Cc}/u.test(character))).toEqual([]);
    expect(text).toContain('[2J');
  });
});
