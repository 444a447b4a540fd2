import pretty from 'pino-pretty';

/** The log as text for people at a terminal. Production never loads this. */
export function readableLog(write: (text: string) => void, colorize = pretty.isColorSupported) {
  const format = pretty.prettyFactory({ colorize, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' });
  return {
    write: (line: string) => write(`${format(shorten(JSON.parse(harmless(line)))).trimEnd()}\n`),
  };
}

/** What others wrote, such as the text of a provider's error, must not speak to the terminal. */
function harmless(line: string): string {
  return line.replace(/\\u00[01][0-9a-f]|[\x7f-\x9f]/gi, '\u{fffd}');
}

/** The commonest line, that of a request, as one would say it. */
function shorten(entry: Record<string, unknown>): object {
  if (entry.msg !== 'request') return entry;
  const { method, path, status, milliseconds, msg: _, ...rest } = entry;
  return { ...rest, msg: `${method} ${path} ${status}, ${milliseconds} ms` };
}
