import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { build, ROOT } from '../../harness/instance.ts';

const SCRIPT = join(ROOT, 'scripts/require-node.cjs');
const TOO_OLD = '18.20.8';

/** Runs a program in a Node.js that reports another version. */
function run(program: string, version: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, program, '--help'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const refused = (version: string) => ({
  status: 1,
  stdout: '',
  stderr: `castellan needs Node.js 20.19 or newer; this is ${version}.\n`,
});

beforeAll(build);

describe('a Node.js older than required', () => {
  it.each(['20.18.3', TOO_OLD, '8.17.0', '0.12.18'])('%s is refused with one sentence', (version) => {
    expect(run(SCRIPT, version)).toEqual(refused(version));
  });

  it.each(['20.19.0', '20.20.2', '22.0.0', '24.9.0'])('%s is accepted', (version) => {
    expect(run(SCRIPT, version)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it.each(['main', 'worker', 'cli/token', 'cli/doctor', 'cli/openapi'])(
    'is refused by dist/server/%s.js, which systemd and images run without npm',
    (name) => {
      const program = join(ROOT, `dist/server/${name}.js`);
      expect(run(program, TOO_OLD)).toEqual(refused(TOO_OLD));
      // A module is parsed before it is run: before 14.8 not if it awaits.
      expect(readFileSync(program, 'utf8')).not.toContain('await');
      // `dist/` is copied by itself.
      expect(readFileSync(join(ROOT, 'dist/require-node.cjs'), 'utf8')).not.toContain('package.json');
    },
  );

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
  });
});
