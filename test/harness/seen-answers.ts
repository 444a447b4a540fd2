import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenApiDocument } from '../../contract/openapi.ts';

/** Variable with the folder in which the processes of a run record the answers that they have seen. */
const FOLDER = 'CASTELLAN_SEEN_ANSWERS';

/** An operation with one of its statuses, or `default`. */
type Answer = `${string} ${string}`;

const noted = new Set<Answer>();

/** Records that an operation answered with a documented status. */
export function noteAnswer(operationId: string, status: string): void {
  const answer: Answer = `${operationId} ${status}`;
  const folder = process.env[FOLDER];
  if (folder === undefined || noted.has(answer)) return;
  noted.add(answer);
  appendFileSync(join(folder, `${process.pid}.txt`), `${answer}\n`);
}

/** Makes processes that start from now on record the answers that they see. */
export function openNotes(): string {
  const folder = mkdtempSync(join(tmpdir(), 'castellan-seen-'));
  process.env[FOLDER] = folder;
  return folder;
}

/** Returns the records of all processes and deletes them. */
export function closeNotes(folder: string): Set<string> {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  rmSync(folder, { recursive: true });
  return new Set(files.flatMap((text) => text.split('\n').filter(Boolean)));
}

/** Every answer in the OpenAPI document. */
export function listedAnswers({ paths }: Pick<OpenApiDocument, 'paths'>): Answer[] {
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status): Answer => `${operationId} ${status}`),
    ),
  );
}

/** Why an answer need not be seen. */
export interface Excuse {
  /** Operations with statuses, or a status alone for answers that are the same for all operations. */
  readonly answers: RegExp;
  readonly reason: string;
}

/** The faults of a run: documented answers that were neither seen nor excused, and excuses without such an answer. */
export function faultsOfRun(
  documented: readonly string[],
  seen: ReadonlySet<string>,
  excuses: readonly Excuse[],
): string[] {
  const unseen = documented.filter((answer) => !seen.has(answer));
  return [
    ...unseen
      .filter((answer) => !excuses.some(({ answers }) => answers.test(answer)))
      .map((answer) => `${answer}: is in the OpenAPI document, and no test has seen it`),
    ...excuses
      .filter(({ answers }) => !documented.some((answer) => answers.test(answer)))
      .map(({ answers }) => `${answers}: excuses what the OpenAPI document does not list`),
  ];
}
