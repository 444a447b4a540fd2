import { GUIDES, type OpenApiDocument } from '../../contract/openapi.ts';
import { once } from '../shared/once.ts';
import { guidePage, readGuides } from './guides.ts';
import { guidePath, type Site } from './layout.ts';
import { referencePage } from './reference.ts';

/** Files that the pages load, read from this folder: the same relative path in the sources and in the build. */
export const ASSETS = {
  folder: new URL('../../server/docs/assets/', import.meta.url),
  names: ['page.css', 'page.mjs'],
} as const;

/** Renders the page at a path; undefined for an unknown path. */
export type RenderDocs = (path: string) => Promise<string | undefined>;

/** Renders the pages under /docs. */
export function createDocs(document: OpenApiDocument): RenderDocs {
  const site = once(() => describeSite(document));
  return async (path) => make(await site(), document, path);
}

async function describeSite({ servers, info, tags }: OpenApiDocument): Promise<Site> {
  const { pathname } = new URL(servers[0]?.url ?? 'http://localhost');
  const named = tags.flatMap(({ externalDocs }) => /([\w-]+)\.md$/.exec(externalDocs?.url ?? '')?.[1] ?? []);
  return {
    base: pathname.replace(/\/$/, ''),
    version: info.version,
    repository: GUIDES.replace(/\/docs$/, ''),
    guides: await readGuides([...new Set(named)]),
  };
}

async function make(site: Site, document: OpenApiDocument, path: string): Promise<string | undefined> {
  if (path === '/docs') return referencePage(site, document);
  const guide = site.guides.find(({ name }) => guidePath(name) === path);
  return guide && guidePage(site, guide);
}
