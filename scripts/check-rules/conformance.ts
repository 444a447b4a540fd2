/** Compares the list of what OpenID Connect demands with the tests that it names. */
import { basename } from 'node:path';
import ts from 'typescript';
import type { TextFile } from './rules.ts';

/** Why a requirement has no test; the reason follows. */
const NOT_TESTED = /^(Does not apply|Not testable here|Differs): ./;
const NAMED = /`([\w-]+): ([^`]+)`/g;

/**
 * One line for each requirement that names neither a test nor a reason why there is none, and for each named test that
 * does not exist. A requirement is a row of a table; its last cell holds `file: title of the test`, for one or more.
 */
export function conformanceProblems(list: TextFile, files: readonly TextFile[]): string[] {
  const titles = new Map(
    files
      .filter(({ path }) => path.endsWith('.test.ts'))
      .map((file) => [basename(file.path, '.test.ts'), new Set(titlesIn(file))]),
  );
  return list.text.split('\n').flatMap((line, index) => {
    const cells = /^\|(.*)\|$/
      .exec(line)?.[1]
      ?.split('|')
      .map((cell) => cell.trim());
    if (cells === undefined || cells[0] === '§' || /^[-\s]*$/.test(cells.join(''))) return [];
    const at = `${list.path}:${index + 1}`;
    const said = cells.at(-1) ?? '';
    const named = [...said.matchAll(NAMED)];
    if (named.length === 0) return NOT_TESTED.test(said) ? [] : [`${at}: neither a test nor a reason`];
    return named.flatMap(([, file = '', title = '']) =>
      titles.get(file)?.has(title) ? [] : [`${at}: there is no test "${title}" in ${file}.test.ts`],
    );
  });
}

/** The titles of a file's tests, as they are written. */
function titlesIn({ path, text }: TextFile): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTest(node.expression)) {
      const [title] = node.arguments;
      if (title !== undefined && ts.isStringLiteralLike(title)) titles.push(title.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return titles;
}

/** Whether that is `it`, or what `it.each(…)` gives. */
function isTest(called: ts.Expression): boolean {
  if (ts.isIdentifier(called)) return called.text === 'it';
  return (ts.isCallExpression(called) || ts.isPropertyAccessExpression(called)) && isTest(called.expression);
}
