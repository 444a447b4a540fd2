import pretty from 'pino-pretty';

/** Formats the log as text for a terminal. Not loaded in production. */
export function readableLog(write: (text: string) => void, colorize = pretty.isColorSupported) {
  const format = pretty.prettyFactory({ colorize, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' });
  return {
    write: (line: string) => write(`${format(shorten(JSON.parse(harmless(line)))).trimEnd()}\n`),
  };
}

/**
 * Removes control characters, so that text from outside (such as a provider's error) cannot send escape sequences to
 * the terminal.
 */
function harmless(line: string): string {
  return line.replace(/\\u00[01][0-9a-f]|[\x7f-\x9f]/gi, '\u{fffd}');
}

/** Shortens the most frequent line, that of a request. */
function shorten(entry: Record<string, unknown>): object {
  if (entry.msg !== 'request') return entry;
  const { method, path, status, milliseconds, msg: _, ...rest } = entry;
  return { ...rest, msg: `${method} ${path} ${status ?? 'no answer'}, ${milliseconds} ms` };
}
