/** Statuses of HTTP in code that should not know any: a reading of syntax. */
import ts from 'typescript';
import type { TextFile } from './rules.ts';

/** Those who speak HTTP, to our clients or to servers of others, whose answers they take apart. */
const SPEAK_HTTP =
  /^server\/(http|provider|voice-server)\/|\.routes\.ts$|^server\/observability\/serve-metrics\.ts$/;

/** Numbers that statuses of errors have; others from 400 to 599 are mere numbers. */
const STATUSES = new Set([
  400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 415, 416, 421, 422, 425, 428, 429, 431,
  451, 500, 501, 502, 503, 504,
]);

/** Where features make an answer's status up, one line each: what they mean is a code, and its status is http/'s. */
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

/** A status of somebody else's answer may be compared with, and a quantity has a name of its own. */
function isOther({ parent }: ts.NumericLiteral): boolean {
  if (ts.isBinaryExpression(parent)) return true;
  return (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) && !isStatus(parent.name);
}

function isStatus(name: ts.Node): boolean {
  return /status/i.test(name.getText());
}
