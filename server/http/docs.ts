import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import { ASSETS, type RenderDocs } from '../docs/docs.ts';
import { HttpError } from './http-error.ts';

/** Content security policy: own styles, scripts and requests only, no framing, no forms. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the API reference and the guides. Each page is compressed on its first request and has an ETag, so that
 * browsers can cache it.
 */
export function docsRoutes(render: RenderDocs): Router {
  const router = Router({ caseSensitive: true });
  const packed = new Map<string, Promise<Packed | undefined>>();

  /** Requests that come while a page is rendered wait for it, as rendering takes some tenths of a second. */
  function find(path: string): Promise<Packed | undefined> {
    const known = packed.get(path);
    if (known !== undefined) return known;
    const made = render(path).then((text) => (text === undefined ? undefined : pack(text)));
    packed.set(path, made);
    const forget = () => packed.delete(path);
    // Failures and unknown paths are not kept.
    made.then((page) => page === undefined && forget(), forget);
    return made;
  }

  const sendPage: RequestHandler = (req, res, next) => {
    const path = `/docs${req.path}`.replace(/\/$/, '');
    find(path)
      .then((page) => {
        if (page === undefined) return next(new HttpError('path_unknown', 'There is nothing at this path.'));
        const zipped = req.acceptsEncodings('gzip') !== false;
        if (zipped) res.set('Content-Encoding', 'gzip');
        res.set('ETag', page.tag).vary('Accept-Encoding').type('html');
        res.send(zipped ? page.zipped : page.plain);
      })
      .catch(next);
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

const compress = promisify(gzip);

async function pack(text: string): Promise<Packed> {
  const plain = Buffer.from(text);
  const hash = createHash('sha256').update(plain).digest('base64url');
  return { plain, zipped: await compress(plain), tag: `W/"${hash}"` };
}
