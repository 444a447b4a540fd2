import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, whatever its size, from the longest on. */
const LONGEST = [
  'heavy-bodies',
  'collect-histories',
  'walk',
  'model',
  'sync-outage',
  'process',
  'commands',
  'output',
  'refresh-organizations',
  'provider-client',
  'fuzz',
  'reach',
].map((name) => `${name}.test.ts`);

/**
 * Starts the longest test files first, so that none of them runs alone at the end. Of the others Vitest knows by itself
 * how long they took the last time, but in a fresh clone it goes by their sizes.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.indexOf(basename(moduleId));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
