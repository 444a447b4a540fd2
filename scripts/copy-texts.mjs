/**
 * Puts beside the compiled code what it reads at run time and no compiler touches: the OpenAPI document, the guides, and
 * what the pages under /docs load. Only what has changed is copied.
 *   node scripts/copy-texts.mjs dist
 */
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TEXTS = { '.': ['openapi.yaml'], docs: ['.md'], 'server/docs/assets': ['.css', '.mjs'] };

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const filesOf = (folder, endings) =>
  readdirSync(folder).filter((name) => endings.some((ending) => name.endsWith(ending)));

export function copyTexts(out) {
  for (const [folder, endings] of Object.entries(TEXTS)) {
    const names = filesOf(folder, endings);
    mkdirSync(join(out, folder), { recursive: true });
    for (const name of names) {
      const [from, to] = [join(folder, name), join(out, folder, name)];
      if (changedAt(to) <= changedAt(from)) copy(from, to);
    }
    for (const name of filesOf(join(out, folder), endings)) {
      if (!names.includes(name)) rmSync(join(out, folder, name));
    }
  }
}

/** Copied atomically, because another process may be starting from it. */
function copy(from, to) {
  const draft = join(dirname(to), `.draft.${process.pid}`);
  cpSync(from, draft);
  renameSync(draft, to);
}

if (import.meta.filename === process.argv[1]) copyTexts(process.argv[2]);
