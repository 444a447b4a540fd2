import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TOOLS } from '../consumer.ts';

/** An instruction of a Dockerfile. */
export interface Instruction {
  readonly keyword: string;
  /** Such as `from` of a COPY. */
  readonly flags: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  /** Everything after keyword and flags, as one line. */
  readonly text: string;
}

interface Parsed {
  getKeyword(): string;
  getFlags?(): readonly { getName(): string; getValue(): string }[];
  getArguments(): readonly { getValue(): string }[];
  getArgumentsContent(): string | null;
}

const tools = createRequire(join(TOOLS, 'of-these.js'));

/** The instructions of a Dockerfile, in order. */
export function readDockerfile(text: string): readonly Instruction[] {
  const { DockerfileParser } = tools('dockerfile-ast') as {
    DockerfileParser: { parse(text: string): { getInstructions(): readonly Parsed[] } };
  };
  return DockerfileParser.parse(text)
    .getInstructions()
    .map((parsed) => ({
      keyword: parsed.getKeyword(),
      flags: Object.fromEntries(parsed.getFlags?.().map((flag) => [flag.getName(), flag.getValue()]) ?? []),
      words: parsed.getArguments().map((word) => word.getValue()),
      text: parsed.getArgumentsContent() ?? '',
    }));
}

/** Whether .dockerignore keeps a file away from the build. */
export function ignoring(rules: string): (path: string) => boolean {
  const dockerignore = tools('@balena/dockerignore') as () => {
    add(rules: string): { ignores(path: string): boolean };
  };
  const ignore = dockerignore().add(rules);
  return (path) => ignore.ignores(path);
}
