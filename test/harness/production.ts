import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { newKeys } from './app.ts';
import { databaseUrl, onServer } from './postgres.ts';

/** The settings that production requires, with a provider that no request reaches. */
export async function productionEnv(): Promise<Record<string, string>> {
  const nowhere = 'http://127.0.0.1:9';
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    BASE_URL: 'http://127.0.0.1:9',
    ...(await newKeys()),
    SSO_CLIENT_ID: 'castellan-test',
    SSO_CLIENT_SECRET: 'secret',
    SSO_URL: nowhere,
    EXT_API_URL: nowhere,
    EXT_API_SPEC_URL: nowhere,
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
  };
}

/** Runs `work` on a new database, migrated or empty, and drops that afterwards. */
export async function onDatabase(
  kind: 'empty' | 'migrated',
  work: (url: string) => Promise<void>,
): Promise<void> {
  const templateUrl = inject('templateUrl');
  const name = `castellan_test_${randomBytes(8).toString('hex')}`;
  const template = kind === 'empty' ? '' : ` template ${new URL(templateUrl).pathname.slice(1)}`;
  await onServer(templateUrl, `create database ${name}${template}`);
  try {
    await work(databaseUrl(templateUrl, name));
  } finally {
    await onServer(templateUrl, `drop database if exists ${name} with (force)`);
  }
}
