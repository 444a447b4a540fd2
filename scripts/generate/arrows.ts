import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';

const config = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as { options: ICruiseOptions };

const BEGIN = '<!-- arrows: written by `npm run generate` -->';
const END = '<!-- end of arrows -->';

/** Folders that are not drawn: most features import them, or they import most features. */
const NOT_DRAWN = new Set(
  [
    'access',
    'cli',
    'config',
    'database',
    'http',
    'keys',
    'observability',
    'process',
    'queue',
    'services',
    'shared',
  ].map((name) => `server/${name}`),
);

/** ARCHITECTURE.md with the present diagram of imports between features. */
export async function architecture(): Promise<string> {
  const text = await readFile(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error('ARCHITECTURE.md has no place for the arrows');
  return `${before}${BEGIN}\n\n${picture(await arrows())}\n${END}${after}`;
}

/** Imports between features, including types, without duplicates. */
async function arrows(): Promise<[from: string, to: string][]> {
  const { output } = await cruise(['server'], { ...config.options, validate: false });
  const pairs = (output as ICruiseResult).modules.flatMap(({ source, dependencies }) =>
    dependencies.map(({ resolved }) => [featureOf(source), featureOf(resolved)] as const),
  );
  const distinct = new Set(
    pairs.flatMap(([from, to]) =>
      from === undefined || to === undefined || from === to ? [] : [`${from} ${to}`],
    ),
  );
  return [...distinct].sort().map((pair) => pair.split(' ') as [string, string]);
}

function featureOf(path: string): string | undefined {
  const folder = /^server\/[^/]+(?=\/)/.exec(path)?.[0];
  return folder === undefined || NOT_DRAWN.has(folder) ? undefined : folder.slice('server/'.length);
}

function picture(pairs: readonly (readonly [string, string])[]): string {
  const lines = pairs.map(([from, to]) => `    ${from} --> ${to}\n`);
  return `\`\`\`mermaid\nflowchart LR\n${lines.join('')}\`\`\`\n`;
}
