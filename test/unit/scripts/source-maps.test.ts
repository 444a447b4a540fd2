import { readdir, readFile, stat } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build, ROOT } from '../../harness/instance.ts';

const BUNDLE = join(ROOT, 'dist-dev/server/bundle');
/** As old as the present bundle; files of former ones stay for a day. */
const PROGRAM = join(ROOT, 'dist-dev/dev/main.js');
const OURS = { source: 'server/database/open.ts', text: 'async function requireServer(' } as const;
/** Matches the comment in front of each file in the bundle. */
const FILE = /^\/\/ (\S+\.[cm]?[jt]s)$/;

interface Part {
  readonly lines: readonly string[];
  readonly map: SourceMap;
}

describe('the source maps of the bundle', () => {
  const parts: Part[] = [];

  beforeAll(async () => {
    await build();
    const { mtimeMs: began } = await stat(PROGRAM);
    for (const name of (await readdir(BUNDLE)).filter((file) => file.endsWith('.js'))) {
      if ((await stat(join(BUNDLE, name))).mtimeMs < began) continue;
      const [code = '', map = ''] = await Promise.all(
        [name, `${name}.map`].map((file) => readFile(join(BUNDLE, file), 'utf8')),
      );
      parts.push({ lines: code.split('\n'), map: new SourceMap(JSON.parse(map)) });
    }
  });

  /** The source that a stack trace tells for the end of a line. */
  function told({ lines, map }: Part, line: number) {
    const entry = map.findEntry(line, lines[line]?.length ?? 0);
    return 'originalSource' in entry ? entry : undefined;
  }

  it('name the lines of our sources', async () => {
    const source = (await readFile(join(ROOT, OURS.source), 'utf8')).split('\n');
    const has = (line: string) => line.includes(OURS.text);
    const found = parts
      .filter(({ lines }) => lines.some(has))
      .map((part) => told(part, part.lines.findIndex(has)));
    expect(found).toMatchObject([
      { originalSource: expect.stringContaining(OURS.source), originalLine: source.findIndex(has) },
    ]);
  });

  it('do not take lines of packages for ours', () => {
    const wrong: string[] = [];
    let packages = 0;
    for (const part of parts) {
      let file = '';
      for (const [n, line] of part.lines.entries()) {
        if (FILE.test(part.lines[n + 1] ?? '') && file.includes('node_modules/')) {
          packages += 1;
          if (told(part, n)?.originalSource) wrong.push(file);
        }
        file = FILE.exec(line)?.[1] ?? file;
      }
    }
    expect(packages).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  });

  it('have an entry a line at the most, as Node.js keeps every one of them', () => {
    for (const { lines, map } of parts) {
      expect(map.payload.mappings).not.toContain(',');
      expect(map.payload.mappings.split(';').length).toBeLessThanOrEqual(lines.length);
    }
  });
});
