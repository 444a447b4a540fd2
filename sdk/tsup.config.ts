import { defineConfig } from 'tsup';

/** Both module systems, each with its own types; what entries share, such as the error class, is one module. */
export default defineConfig({
  entry: ['src/index.ts', 'src/query.ts', 'src/scopes.ts', 'src/server.ts', 'src/sign-in.ts', 'src/zod.ts'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  dts: true,
  sourcemap: true,
  splitting: true,
  clean: true,
  treeshake: true,
});
