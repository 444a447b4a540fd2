/** Compares rules with their citations; a pure function of texts. */

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** The files that may cite rules, and the two pages that define them. */
export interface Texts {
  readonly rules: TextFile;
  readonly provider: TextFile;
  readonly citing: readonly TextFile[];
}

interface Place {
  readonly path: string;
  readonly line: number;
}

/** Matches D16 and D19b, but not %D0 in a URL or a part of a longer word. */
const DECISION = /(?<![%\w])D[1-9]\d{0,2}[a-z]?(?!\w)/g;
/**
 * `Group rule 3`, `Coalition rules 1 and 2`, also with the interface's own heading: `"Token operations" rules 4 and 5`.
 */
const NUMBERED =
  /\b(Group|Coalition|Token|Authentication|External data)(?: operations)?"? rules? (\d+(?:(?:, | and )\d+)*)/g;
const SECTION = /\bprovider\.md §(\d+)/g;

const RULE_HEADING = /^### (D[1-9]\d*[a-z]?|[A-Z][a-z]+(?: [a-z]+)* rule \d+)$/;
const SECTION_HEADING = /^## (\d+)\. /;

/** The rules in the order of the page, and problems: two headings with one name, or a heading without text. */
function readRules({ path, text }: TextFile): { names: Set<string>; problems: string[] } {
  const names = new Set<string>();
  const problems: string[] = [];
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const name = RULE_HEADING.exec(line)?.[1];
    if (name === undefined) continue;
    if (names.has(name)) problems.push(`${path}:${index + 1}: ${name} is there twice`);
    const said = lines.slice(index + 1).find((next) => next.trim() !== '');
    if (said === undefined || said.startsWith('#'))
      problems.push(`${path}:${index + 1}: ${name} says nothing`);
    names.add(name);
  }
  return { names, problems };
}

/** The rules that a text cites, each with the lines. */
function citationsIn({ path, text }: TextFile): [name: string, place: Place][] {
  return text
    .split('\n')
    .flatMap((content, index) =>
      namesIn(content).map((name): [string, Place] => [name, { path, line: index + 1 }]),
    );
}

function namesIn(line: string): string[] {
  const decisions = [...line.matchAll(DECISION)].map(([name]) => name);
  const numbered = [...line.matchAll(NUMBERED)].flatMap(([, topic, numbers = '']) =>
    numbers.split(/, | and /).map((number) => `${topic} rule ${number}`),
  );
  const sections = [...line.matchAll(SECTION)].map(([, number]) => `provider.md §${number}`);
  return [...decisions, ...numbered, ...sections];
}

/** Whether the file is a test: a citation in a test helper does not count. */
function isTest({ path }: Place): boolean {
  return path.endsWith('.test.ts');
}

/** All inconsistencies between rules and citations, one line each. */
export function problemsOf({ rules, provider, citing }: Texts): string[] {
  const { names, problems } = readRules(rules);
  const sections = provider.text.split('\n').flatMap((line) => SECTION_HEADING.exec(line)?.[1] ?? []);
  const known = new Set([...names, ...sections.map((number) => `provider.md §${number}`)]);
  const cited = citing.flatMap(citationsIn);
  const unknown = cited.filter(([name]) => !known.has(name));
  const tested = new Set(cited.filter(([, place]) => isTest(place)).map(([name]) => name));
  return [
    ...problems,
    ...unknown.map(
      ([name, { path, line }]) => `${path}:${line}: ${name} is not in ${homeOf(name, rules, provider)}`,
    ),
    ...[...names].filter((name) => !tested.has(name)).map((name) => `${rules.path}: no test cites ${name}`),
  ];
}

function homeOf(name: string, rules: TextFile, provider: TextFile): string {
  return name.startsWith('provider.md') ? provider.path : rules.path;
}
