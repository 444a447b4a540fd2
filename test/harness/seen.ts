import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenApiDocument } from '../../contract/openapi.ts';

/** Names the folder in which the processes of a run note what they have seen. */
const FOLDER = 'CASTELLAN_SEEN_ANSWERS';

/** An operation with a status of it, `default` among them. */
type Answer = `${string} ${string}`;

const noted = new Set<Answer>();

/** Notes that an operation was seen to answer with a status that the document lists. */
export function noteAnswer(operationId: string, status: string): void {
  const answer: Answer = `${operationId} ${status}`;
  const folder = process.env[FOLDER];
  if (folder === undefined || noted.has(answer)) return;
  noted.add(answer);
  appendFileSync(join(folder, `${process.pid}.txt`), `${answer}\n`);
}

/** Lets the processes that are started from now on note their answers. */
export function openNotes(): string {
  const folder = mkdtempSync(join(tmpdir(), 'castellan-seen-'));
  process.env[FOLDER] = folder;
  return folder;
}

/** What all processes have noted; the notes go. */
export function closeNotes(folder: string): Set<string> {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  rmSync(folder, { recursive: true });
  return new Set(files.flatMap((text) => text.split('\n').filter(Boolean)));
}

/** Every answer that the OpenAPI document lists. */
export function listedAnswers({ paths }: Pick<OpenApiDocument, 'paths'>): Answer[] {
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status): Answer => `${operationId} ${status}`),
    ),
  );
}

/** Why an answer need not be seen. */
export interface Excuse {
  /** Operations and statuses; what the service answers for all of them alike is excused once. */
  readonly answers: RegExp;
  readonly reason: string;
}

/**
 * What is wrong with a run: documented answers that were neither seen nor excused, and excuses that excuse nothing that
 * the document lists.
 */
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
