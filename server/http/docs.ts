import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import type { OpenApiDocument } from '../../contract/openapi.ts';
import { ASSETS, createDocs } from '../docs/docs.ts';
import { HttpError } from './http-error.ts';

/** Content security policy: own styles, scripts and requests only, no framing, no forms. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", 'img-src data:', "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

/**
 * Serves the API reference and the guides. Each page is compressed on its first request and has an ETag, so that
 * browsers can cache it.
 */
export function docsRoutes(document: OpenApiDocument): Router {
  const router = Router({ caseSensitive: true });
  const docs = createDocs(document);
  const packed = new Map<string, Packed>();

  async function find(path: string): Promise<Packed | undefined> {
    const known = packed.get(path);
    if (known !== undefined) return known;
    const text = await docs(path);
    if (text === undefined) return undefined;
    const made = pack(text);
    packed.set(path, made);
    return made;
  }

  const sendPage: RequestHandler = (req, res, next) => {
    const path = `/docs${req.path}`.replace(/\/$/, '');
    find(path).then((page) => {
      if (page === undefined) return next(new HttpError('path_unknown', 'There is nothing at this path.'));
      const zipped = req.acceptsEncodings('gzip') !== false;
      if (zipped) res.set('Content-Encoding', 'gzip');
      res.set('ETag', page.tag).vary('Accept-Encoding').type('html');
      res.send(zipped ? page.zipped : page.plain);
    }, next);
  };

  router.use((_req, res, next) => {
    res.set({
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
    });
    next();
  });
  router.get(['/', '/guides/:guide'], sendPage);
  const root = fileURLToPath(ASSETS.folder);
  for (const name of ASSETS.names) {
    router.get(`/${name}`, (_req, res) => res.sendFile(name, { root, cacheControl: false }));
  }
  return router;
}

interface Packed {
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly tag: string;
}

function pack(text: string): Packed {
  const plain = Buffer.from(text);
  const hash = createHash('sha256').update(plain).digest('base64url');
  return { plain, zipped: gzipSync(plain), tag: `W/"${hash}"` };
}
