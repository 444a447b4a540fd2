import { readFile } from 'node:fs/promises';
import type { Reporter, Vitest } from 'vitest/node';
import { parse } from 'yaml';
import { EXCUSED } from './excused-answers.ts';
import { closeNotes, faultsOfRun, listedAnswers, openNotes } from './seen-answers.ts';

/** Fails a run of all tests unless each answer of the OpenAPI document was seen, except the excused ones. */
export function documentedAnswers(): Reporter {
  let vitest: Vitest;
  let folder: string;
  return {
    onInit(started) {
      vitest = started;
      folder = openNotes();
    },
    async onTestRunEnd(modules, _errors, reason) {
      const seen = closeNotes(folder);
      const files = await Promise.all(vitest.projects.map((project) => project.globTestFiles()));
      const all = files.flatMap(({ testFiles }) => testFiles).length;
      const partial = modules.length < all || vitest.config.testNamePattern !== undefined;
      if (partial || reason !== 'passed') return;
      // Reads the generated file, because loading the contract would slow down every run.
      const documented = listedAnswers(parse(await readFile('openapi.yaml', 'utf8')));
      const faults = faultsOfRun(documented, seen, EXCUSED);
      const told = `${documented.filter((answer) => seen.has(answer)).length} of ${documented.length} documented answers were seen`;
      process.stdout.write(`${[told, ...faults].join('\n')}\n`);
      if (faults.length > 0) process.exitCode = 1;
    },
  };
}
