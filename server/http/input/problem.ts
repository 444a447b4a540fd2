import type { RequestValidationError } from '@ts-rest/express';
import type { ZodError } from 'zod';
import type { InvalidField } from '../../shared/domain-error.ts';
import { HttpError } from '../http-error.ts';
import { MOST_ISSUES } from './first-issues.ts';

/** A 422 that lists the faults of a request, up to the maximum for one answer (D3). */
export function validationProblem({ pathParams, headers, query, body }: RequestValidationError): HttpError {
  const found = [
    ...entries('path', pathParams),
    ...entries('header', headers),
    ...entries('query', query),
    ...entries('body', body),
  ];
  return new HttpError('invalid_request', found.slice(0, MOST_ISSUES));
}

/** Zod's issues in the form of D3. Quoted input is shortened. */
function entries(source: string, error: Pick<ZodError, 'issues'> | null): InvalidField[] {
  return (error?.issues ?? []).map(({ path, message, code }) => ({
    loc: [source, ...path].map((step) => (typeof step === 'string' ? shortened(step, LONGEST_NAME) : step)),
    msg: shortened(message, LONGEST_MESSAGE),
    type: code,
  }));
}

const LONGEST_NAME = 100;
const LONGEST_MESSAGE = 300;

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
