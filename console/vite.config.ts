import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const sdk = (entry: string) => resolve(import.meta.dirname, `../sdk/src/${entry}.ts`);

const DIST = join(import.meta.dirname, 'dist');
/** Bytes below which compression saves no packet. */
const TOO_SMALL = 1_000;

/** Compresses each file once, as well as can be, instead of at every start as well as a request can wait for. */
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  closeBundle() {
    for (const name of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(js|css|svg)$/.test(name)) continue;
      const file = join(DIST, name);
      const plain = readFileSync(file);
      if (plain.length < TOO_SMALL) continue;
      writeFileSync(`${file}.br`, brotliCompressSync(plain));
      writeFileSync(`${file}.gz`, gzipSync(plain, { level: 9 }));
    }
  },
};

/** Addresses are relative to where they stand, so that the build works below any path; the server fills in the rest. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  html: { cspNonce: '__NONCE__' },
  plugins: [compressed],
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
