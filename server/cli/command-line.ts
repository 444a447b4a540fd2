import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CannotStart } from '../shared/cannot-start.ts';

/**
 * Parses the arguments of a program; undefined when they ask for its usage, which is then printed.
 *
 * @throws CannotStart with the usage, for unknown arguments
 */
export function readArguments<const Config extends ParseArgsConfig>(usage: string, config: Config) {
  if (process.argv.slice(2).includes('--help')) {
    process.stdout.write(usage);
    return undefined;
  }
  try {
    return parseArgs(config);
  } catch (error) {
    throw new CannotStart(`${(error as Error).message}\n\n${usage.trimEnd()}`);
  }
}
