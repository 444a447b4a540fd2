import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { type OpenApiOperation, type OpenApiResponse, openApiDocument } from '../../contract/openapi.ts';
import { PREVIEW_TYPE } from '../../contract/preview.ts';
import { noteAnswer } from './seen-answers.ts';

export interface Given {
  readonly method: string;
  /** Path of the request as sent. */
  readonly path: string;
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

const document = openApiDocument();
const ajv = new Ajv2020({ strict: false, validateSchema: false, formats: { jwt: true } });
ajvFormats.default(ajv);
ajv.addSchema(document, 'document');

interface Documented {
  readonly method: string;
  readonly template: string;
  readonly path: RegExp;
  readonly pointer: string;
  readonly operation: OpenApiOperation;
}

/** All operations, longest literal prefix first, because a literal segment takes precedence over a parameter. */
const documented: Documented[] = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      template: path,
      path: new RegExp(`^${path.replace(/\{esi_path\}/, '.+').replace(/\{\w+\}/g, '[^/]+')}$`),
      pointer: `document#/paths/${escaped(path)}/${method}/responses/`,
      operation,
    })),
  )
  .sort((a, b) => literal(b) - literal(a) || b.template.length - a.template.length);

const PREVIEW = 'document#/components/schemas/Preview';

/** Statuses whose examples show every error code of the operation. */
const COMPLETE = new Set([404, 409, 410, 429]);

const compiled = new Map<string, ValidateFunction>();

/**
 * Checks an answer of the running service against the OpenAPI document: the operation must document its status, media
 * type and body. Paths and methods that the document does not contain are ignored.
 */
export function expectDocumented({ method, path, status, type, text }: Given): void {
  const [pathname = ''] = path.split('?');
  // Refused before routing: by the HTTP server, because of the host, or while the service starts or stops.
  if ([408, 421, 431].includes(status)) return;
  if (status === 503 && /"service_(starting|stopping)"/.test(text)) return;
  const here = documented.filter((it) => it.path.test(pathname));
  const found = here.find((it) => it.method === method && it.template === here[0]?.template);
  if (found === undefined) return;
  const name = `${method} ${pathname} answered with ${status}`;
  const { responses } = found.operation;
  const key = String(status) in responses ? String(status) : 'default';
  const listed = responses[key];
  if (listed === undefined) throw new Error(`${name}, which the OpenAPI document does not know: ${text}`);
  noteAnswer(found.operation.operationId, key);
  const [response, pointer] = resolved(listed, found.pointer + key);
  const media = (type ?? '').split(';')[0]?.trim() ?? '';
  const { content = toldOf(response) } = response;
  const expected = Object.keys(content);
  if (text === '' && !expected.includes('application/json')) return;
  if (!expected.includes(media)) {
    throw new Error(
      `${name} as ${media || 'nothing'} where the document says ${expected.join() || 'nothing'}`,
    );
  }
  if (!media.endsWith('json')) return;
  // Clients compare it with the document's, some of them all of it; RFC 8259 defines no charset of JSON.
  if (type !== media) throw new Error(`${name} as ${type}, which is more than ${media}`);
  const schema = response.content === undefined ? PREVIEW : `${pointer}/content/${escaped(media)}/schema`;
  const validate = validator(schema);
  const body: unknown = JSON.parse(text);
  if (!validate(body)) {
    throw new Error(`${name}, not as documented: ${ajv.errorsText(validate.errors)}\n${text}`);
  }
  if (COMPLETE.has(status)) expectExample(name, body, content[media]?.examples ?? {});
}

/** The preview of a deletion is told of in words, as the usual answer has no body. */
function toldOf({ description }: OpenApiResponse): NonNullable<OpenApiResponse['content']> {
  return description.includes(PREVIEW_TYPE) ? { [PREVIEW_TYPE]: { schema: { $ref: PREVIEW } } } : {};
}

/** D73: the code of an error is one of those that the operation documents. */
function expectExample(name: string, body: unknown, examples: object): void {
  const { code } = body as { readonly code: string };
  if (!(code in examples)) {
    throw new Error(`${name} by ${code} where the document shows ${Object.keys(examples).join()}`);
  }
}

function resolved(listed: OpenApiResponse | { $ref: string }, pointer: string): [OpenApiResponse, string] {
  if (!('$ref' in listed)) return [listed, pointer];
  const response = document.components.responses[listed.$ref.split('/').at(-1) ?? ''];
  if (response === undefined) throw new Error(`${listed.$ref} is not in the document`);
  return [response, `document${listed.$ref}`];
}

function validator($ref: string): ValidateFunction {
  const known = compiled.get($ref) ?? ajv.compile({ $ref });
  compiled.set($ref, known);
  return known;
}

/** The number of characters before the first parameter; one more than the length when there is none. */
function literal({ template }: Documented): number {
  return `${template}/{`.indexOf('{');
}

function escaped(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
}
