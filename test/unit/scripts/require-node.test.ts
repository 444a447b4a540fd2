import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const SCRIPT = join(ROOT, 'scripts/require-node.cjs');

/** Runs the check in a Node.js that reports another version. */
function checkedBy(version: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', `${pretend}; require('${SCRIPT}')`], {
    encoding: 'utf8',
  });
  return { status, stderr };
}

describe('a Node.js older than required', () => {
  it.each(['20.18.3', '18.20.8', '8.17.0', '0.12.18'])('%s is refused with one sentence', (version) => {
    expect(checkedBy(version)).toEqual({
      status: 1,
      stderr: `castellan needs Node.js 20.19 or newer; this is ${version}.\n`,
    });
  });

  it.each(['20.19.0', '20.20.2', '22.0.0', '24.9.0'])('%s is accepted', (version) => {
    expect(checkedBy(version)).toEqual({ status: 0, stderr: '' });
  });

  it('can parse the check, and runs it before anything else', () => {
    const script = readFileSync(SCRIPT, 'utf8');
    const emitted = (target: ts.ScriptTarget) =>
      ts.transpileModule(script, { compilerOptions: { target } }).outputText;
    // It contains nothing that an ES5 engine cannot parse.
    expect(emitted(ts.ScriptTarget.ES5)).toBe(emitted(ts.ScriptTarget.ESNext));
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    for (const name of ['start', 'dev', 'token', 'jobs', 'openapi']) {
      expect(scripts[name], name).toMatch(/^node scripts\/require-node\.cjs && /);
    }
    const units = join(ROOT, 'deploy/systemd');
    for (const name of readdirSync(units)) {
      const unit = readFileSync(join(units, name), 'utf8');
      const [, preloaded = ''] = /^ExecStart=.* \/usr\/bin\/node -r (\S+) dist\//m.exec(unit) ?? [];
      expect(join(ROOT, preloaded), name).toBe(SCRIPT);
    }
  });
});
