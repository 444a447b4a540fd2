import { GUIDES, type OpenApiDocument } from '../../contract/openapi.ts';
import { guidePage, readGuides } from './guides.ts';
import { guidePath, type Site } from './layout.ts';
import { referencePage } from './reference.ts';

/** What the pages load: files of this folder, read from the disk. */
export const ASSETS = {
  folder: new URL('assets/', import.meta.url),
  names: ['page.css', 'page.mjs'],
} as const;

/** Finds the pages under /docs by their paths; undefined where there is none. Pages do not change. */
export function createDocs(document: OpenApiDocument): (path: string) => Promise<string | undefined> {
  let site: Promise<Site> | undefined;
  return async (path) => {
    site ??= describeSite(document).catch((error: unknown) => {
      // To be tried again by the next request.
      site = undefined;
      throw error;
    });
    return make(await site, document, path);
  };
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

function make(site: Site, document: OpenApiDocument, path: string): string | undefined {
  if (path === '/docs') return referencePage(site, document);
  const guide = site.guides.find(({ name }) => guidePath(name) === path);
  return guide && guidePage(site, guide);
}
