/** Finds changes of the OpenAPI document that break existing clients. */
import { GROWS } from '../../contract/common.ts';
import type {
  JsonSchema,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from '../../contract/openapi.ts';

/** Who sends a value: requests may become less strict, answers may gain content. */
type Sender = 'client' | 'service';

/** Every breaking change, one sentence each. */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const changes: string[] = [];
  const compare = comparison(before, after, changes);
  for (const [path, methods] of Object.entries(before.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const at = `${method.toUpperCase()} ${path}`;
      const now = after.paths[path]?.[method as 'get'];
      if (now === undefined) changes.push(`${at} is gone`);
      else compare(at, operation, now);
    }
  }
  return changes;
}

function comparison(before: OpenApiDocument, after: OpenApiDocument, changes: string[]) {
  const seen = new Set<string>();

  return function compareOperation(at: string, was: OpenApiOperation, is: OpenApiOperation): void {
    if (was.operationId !== is.operationId) changes.push(`${at} is called ${is.operationId} now`);
    compareParameters(at, was.parameters ?? [], is.parameters ?? []);
    const [sent, taken] = [was.requestBody, is.requestBody];
    if (taken?.required && !sent?.required) changes.push(`${at} needs a body now`);
    for (const [type, { schema }] of Object.entries(sent?.content ?? {})) {
      compareSchema(`${at} body`, schema, taken?.content[type]?.schema, 'client');
    }
    for (const [status, listed] of Object.entries(was.responses)) {
      const now = is.responses[status] ?? is.responses.default;
      if (now === undefined) {
        if (Number(status) < 400) changes.push(`${at} answers no ${status} any more`);
        continue;
      }
      const answered = responseOf(after, now);
      for (const [type, { schema }] of Object.entries(responseOf(before, listed).content ?? {})) {
        compareSchema(`${at} ${status}`, schema, answered.content?.[type]?.schema, 'service');
      }
    }
  };

  function compareParameters(at: string, was: OpenApiParameter[], is: OpenApiParameter[]): void {
    const find = (list: OpenApiParameter[], { name, in: where }: OpenApiParameter) =>
      list.find((it) => it.name === name && it.in === where);
    for (const parameter of was) {
      const now = find(is, parameter);
      if (now === undefined) changes.push(`${at} takes no ${parameter.name} any more`);
      else compareSchema(`${at} ${parameter.name}`, parameter.schema, now.schema, 'client');
    }
    for (const parameter of is) {
      const needed = parameter.required && find(was, parameter)?.required !== true;
      if (needed) changes.push(`${at} needs ${parameter.name} now`);
    }
  }

  function compareSchema(at: string, was: JsonSchema, is: JsonSchema | undefined, sender: Sender): void {
    if (is === undefined) return void changes.push(`${at} is gone`);
    if (was.$ref !== undefined && was.$ref === is.$ref) {
      const key = `${sender} ${was.$ref}`;
      if (seen.has(key)) return;
      seen.add(key);
      at = was.$ref.split('/').at(-1) ?? at;
    }
    const [old, now] = [schemaOf(before, was), schemaOf(after, is)];
    compareTypes(at, old, now, sender);
    for (const [name, property] of Object.entries(old.properties ?? {})) {
      compareSchema(`${at}.${name}`, property, now.properties?.[name], sender);
    }
    const [required, needed] = [old.required ?? [], now.required ?? []];
    if (sender === 'client') {
      const added = needed.filter((name) => !required.includes(name));
      for (const name of added) changes.push(`${at}.${name} must be sent now`);
    } else {
      const dropped = required.filter((name) => !needed.includes(name));
      for (const name of dropped) changes.push(`${at}.${name} may be missing now`);
    }
    if (old.items !== undefined && now.items !== undefined) {
      compareSchema(`${at}[]`, old.items, now.items, sender);
    }
  }

  /** Compares types: what clients send may only become wider, what the service sends only narrower. */
  function compareTypes(at: string, was: JsonSchema, is: JsonSchema, sender: Sender): void {
    const [narrow, wide] = sender === 'client' ? [was, is] : [is, was];
    const types = typesOf(wide);
    const others = typesOf(narrow).filter((type) => !types.includes(type));
    if (types.length > 0 && others.length > 0) changes.push(`${at} is of another type now: ${typesOf(is)}`);
    const lost = (narrow.enum ?? []).filter((value) => wide.enum !== undefined && !wide.enum.includes(value));
    // Clients have to expect values that they do not know where the document says so (D73).
    const grows = sender === 'service' && is.description?.includes(GROWS);
    if (lost.length > 0 && !grows) changes.push(`${at} has other values now: ${lost.join(', ')}`);
    if (sender === 'service') return;
    for (const bound of ['maxLength', 'maximum', 'maxItems', 'maxProperties'] as const) {
      if ((is[bound] ?? Infinity) < (was[bound] ?? Infinity)) changes.push(`${at} has a lower ${bound} now`);
    }
    for (const bound of ['minLength', 'minimum'] as const) {
      if ((is[bound] ?? -Infinity) > (was[bound] ?? -Infinity))
        changes.push(`${at} has a higher ${bound} now`);
    }
  }
}

function schemaOf({ components }: OpenApiDocument, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  return components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {};
}

function responseOf(
  { components }: OpenApiDocument,
  response: OpenApiResponse | { $ref: string },
): OpenApiResponse {
  if (!('$ref' in response)) return response;
  return components.responses[response.$ref.split('/').at(-1) ?? ''] ?? { description: '' };
}

/** Names of types; for a union those of its members, for a reference the referenced name. */
function typesOf({ type, anyOf = [] }: JsonSchema): string[] {
  const members = anyOf.flatMap((of) => (of.$ref === undefined ? typesOf(of) : [of.$ref]));
  return [...(type === undefined ? [] : [type].flat()), ...members];
}
