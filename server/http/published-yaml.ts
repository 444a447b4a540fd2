import { readFile } from 'node:fs/promises';

/** The same relative path in the sources and in the build. */
const FILE = new URL('../../openapi.yaml', import.meta.url);

/** The address in the file, which `npm run generate` writes. */
const ITS_ADDRESS = '\n  - url: http://localhost:8080\n';

/**
 * The OpenAPI document as YAML, with this address: what `openApiYaml` makes of it. That holds up a process for most of
 * a second, so the generated file is read instead.
 */
export async function publishedYaml(baseUrl: string): Promise<string> {
  const text = await readFile(FILE, 'utf8');
  // Plain text in YAML does not end in a colon, and may end before a space.
  const address = /^\S*[^\s:]$/.test(baseUrl) ? baseUrl : JSON.stringify(baseUrl);
  return text.replace(ITS_ADDRESS, () => `\n  - url: ${address}\n`);
}
