import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CannotStart } from '../shared/cannot-start.ts';

/**
 * Reads what was typed after a program's name. Undefined: its usage was asked for, and printed.
 *
 * @throws CannotStart for whatever the program does not know, with its usage
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
