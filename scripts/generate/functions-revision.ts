import { createHash } from 'node:crypto';
import { functions } from '../../server/database/functions/index.ts';
import { revision } from '../../server/database/functions/revision.ts';

/** Text of server/database/functions/revision.ts: the number is raised when any function differs. */
export function functionsRevision(): string {
  const of = createHash('sha256').update(JSON.stringify(functions.definitions)).digest('hex');
  const number = of === revision.of ? revision.number : revision.number + 1;
  return `/** Written by \`npm run generate\`, which raises the number whenever a function is another than before. */
export const revision = {
  number: ${number},
  of: '${of}',
};
`;
}
