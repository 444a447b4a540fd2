import { resolve } from 'node:path';
import { defineConfig } from 'vite';

const sdk = (entry: string) => resolve(import.meta.dirname, `../sdk/src/${entry}.ts`);

/** Addresses are relative to where they stand, so that the build works below any path; the server fills in the rest. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  html: { cspNonce: '__NONCE__' },
  resolve: {
    alias: [
      { find: '@castellan/sdk/query', replacement: sdk('query') },
      { find: '@castellan/sdk/scopes', replacement: sdk('scopes') },
      { find: '@castellan/sdk/sign-in', replacement: sdk('sign-in') },
      { find: '@castellan/sdk', replacement: sdk('index') },
    ],
  },
  build: {
    target: 'es2023',
    // No file becomes part of another as a data: URL, which the policy of the page would refuse.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Lists what the first page loads, for the test of its size.
    manifest: true,
    emptyOutDir: true,
    rolldownOptions: {
      // What marks parts for servers that draw React means nothing in a browser.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
});
