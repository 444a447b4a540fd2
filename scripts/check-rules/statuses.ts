/** Finds HTTP statuses in code that must not know any, by its syntax tree. */
import ts from 'typescript';
import type { TextFile } from './rules.ts';

/** Files that handle HTTP: towards our clients, or of answers of external servers. */
const SPEAK_HTTP =
  /^server\/(http|provider|voice-server)\/|\.routes\.ts$|^server\/observability\/serve-metrics\.ts$/;

/** Statuses of errors; other numbers from 400 to 599 are allowed. */
const STATUSES = new Set([
  400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 415, 416, 421, 422, 425, 428, 429, 431,
  451, 500, 501, 502, 503, 504,
]);

/** One line for each place where a feature sets a status; it should use a code, whose status http/ knows. */
export function statusProblems(files: readonly TextFile[]): string[] {
  return files
    .filter(({ path }) => /^(server|jobs)\/.*\.ts$/.test(path) && !SPEAK_HTTP.test(path))
    .flatMap(problemsIn);
}

function problemsIn({ path, text }: TextFile): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const problems: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNumericLiteral(node) && STATUSES.has(Number(node.text)) && !isOther(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      problems.push(
        `${path}:${line + 1}: ${node.text} looks like a status, which only http/ and routes know`,
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

/** Comparing the status of an external answer is allowed, and so are named quantities. */
function isOther({ parent }: ts.NumericLiteral): boolean {
  if (ts.isBinaryExpression(parent)) return true;
  return (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) && !isStatus(parent.name);
}

function isStatus(name: ts.Node): boolean {
  return /status/i.test(name.getText());
}
