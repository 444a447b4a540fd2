import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CannotStart } from '../shared/cannot-start.ts';

/**
 * Parses the arguments of a program; undefined when they ask for its usage, which is then printed.
 *
 * @throws CannotStart with the usage, for unknown arguments, and for an option that is given twice: only the last one
 * would count
 */
export function readArguments<const Config extends ParseArgsConfig>(usage: string, config: Config) {
  if (process.argv.slice(2).includes('--help')) {
    process.stdout.write(usage);
    return undefined;
  }
  try {
    refuseRepeated(config);
    return parseArgs(config);
  } catch (error) {
    throw new CannotStart(`${(error as Error).message}\n\n${usage.trimEnd()}`);
  }
}

function refuseRepeated(config: ParseArgsConfig): void {
  const { tokens } = parseArgs({ ...config, tokens: true });
  const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.rawName] : []));
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) throw new Error(`${repeated} can be given only once`);
}
