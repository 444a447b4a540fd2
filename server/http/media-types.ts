import type { Request, Response } from 'express';

/** The media types of answers besides JSON, as they are sent: a request may name the charset as well. */
export const CSV = 'text/csv; charset=utf-8';
export const NDJSON = 'application/x-ndjson; charset=utf-8';
/** A request may name the charset of JSON, too, which is sent without one. */
const JSON_TYPE = 'application/json; charset=utf-8';

/** Which of these forms the caller accepts alone, or rather than JSON; undefined where JSON is the answer. */
export function otherForm<Form extends string>(
  req: Pick<Request, 'accepts'>,
  res: Response,
  forms: readonly Form[],
): Form | undefined {
  res.vary('Accept');
  const accepted = req.accepts([JSON_TYPE, ...forms]);
  return forms.find((form) => form === accepted);
}
