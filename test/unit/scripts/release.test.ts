import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { API_VERSION } from '../../../contract/version.ts';
import { cutRelease } from '../../../scripts/release/changelog.ts';

const read = (file: string) => readFile(new URL(`../../../${file}`, import.meta.url), 'utf8');

describe('a release', () => {
  it('moves the unreleased entries under its version, and does not change former releases', () => {
    const before = '# Changelog\n\n## [Unreleased]\n\n- A gate.\n\n## [0.1.0] - 2026-01-31\n\n- A wall.\n';
    expect(cutRelease(before, '0.2.0', '2026-02-28')).toBe(
      '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-28\n\n- A gate.\n\n## [0.1.0] - 2026-01-31\n\n- A wall.\n',
    );
  });

  it.each([
    ['nothing is new', '## [Unreleased]\n\n## [0.1.0] - 2026-01-31\n', 'nothing is unreleased'],
    ['the version is there', '## [Unreleased]\n\n- A gate.\n\n## [0.2.0] - 2026-01-31\n', 'already'],
    ['there is no place for it', '## [0.1.0] - 2026-01-31\n\n- A wall.\n', 'has no'],
  ])('is none when %s', (_, changelog, fault) => {
    expect(() => cutRelease(changelog, '0.2.0', '2026-02-28')).toThrow(fault);
  });

  it('gives package, SDK, contract and document one version', async () => {
    const versions = [
      JSON.parse(await read('package.json')).version,
      JSON.parse(await read('sdk/package.json')).version,
      /^ {2}version: (\S+)$/m.exec(await read('openapi.yaml'))?.[1],
    ];
    expect(versions).toEqual(versions.map(() => API_VERSION));
  });
});
