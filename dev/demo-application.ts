import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tokenRoutes } from '../contract/token.ts';
import { authenticate } from '../server/access/authenticate.ts';
import { isInUse, listen } from '../server/http/listen.ts';
import { isOwnHost } from '../server/http/own-host.ts';
import type { Services } from '../server/services/services.ts';
import { startLogin } from '../server/sign-in/start-login.ts';
import { rootToken } from '../server/token/root-token.ts';
import { createAppToken } from '../server/token/token.ts';

/** A small application for development: it signs users in and shows the answers. */
export interface DemoApplication {
  readonly url: string;
  stop(): Promise<void>;
}

const COMMENTS = 'demo application of the development start';

/** Starts the application two ports above the service (or on any free port), with its own dynamic token. */
export async function startDemoApplication(services: Services): Promise<DemoApplication> {
  const { host, port } = services.settings;
  let appToken = '';
  const handler = (req: IncomingMessage, res: ServerResponse) => {
    answer(services, appToken, req, res).catch((error: unknown) => {
      services.log.warn({ err: error }, 'the demo application failed');
      res.writeHead(500, { 'Content-Type': 'text/plain' }).end('The demo application failed; see the log.');
    });
  };
  const http = await listen(handler, host, port === 0 ? 0 : port + 2).catch((error: unknown) => {
    if (!isInUse(error)) throw error;
    return listen(handler, host, 0);
  });
  const url = `http://${host}:${http.port}`;
  appToken = await ownToken(services, `${url}/callback`);
  return { url, stop: () => http.stop(500) };
}

/** The application's token: the one of an earlier start if its callback still matches. */
async function ownToken(services: Services, callback: string): Promise<string> {
  const existing = await services.db
    .selectFrom('tokens')
    .selectAll()
    .where('comments', '=', COMMENTS)
    .where('callback', '=', callback)
    .where('kid', 'in', [...services.keys.signingKids])
    .limit(1)
    .executeTakeFirst();
  if (existing !== undefined) return services.keys.sign(existing);
  const caller = await authenticate(services, `Bearer ${await rootToken(services, 0)}`);
  const rule = tokenRoutes.createDynamic.metadata.access;
  const body = { callback, comments: COMMENTS };
  const { tkn } = await createAppToken(services, { caller, rule, params: {}, body }, 'dyn', body);
  return tkn;
}

async function answer(
  services: Services,
  appToken: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (!isOwnHost(req.headers.host)) {
    res.writeHead(421, { 'Content-Type': 'text/plain' }).end('Only localhost is answered.');
    return;
  }
  const url = new URL(req.url ?? '/', 'http://demo.invalid');
  switch (url.pathname) {
    case '/':
      return send(
        res,
        'Demo application',
        `<p>A small application without users of its own: it asks castellan who you are.</p>
<p><a class="button" href="/sign-in">Sign in</a></p>`,
      );
    case '/sign-in': {
      const caller = await authenticate(services, `Bearer ${appToken}`);
      const { login_url } = await startLogin(services, caller, { scopes: ['publicData'] });
      res.writeHead(302, { Location: login_url }).end();
      return;
    }
    case '/callback':
      // The service's own call of the callback needs no page, and must not open a session (D29).
      if (req.headers['castellan-event'] !== undefined) res.writeHead(204).end();
      else
        send(res, 'Signed in', signedIn(services.settings.baseUrl, url.searchParams.get('user_token') ?? ''));
      return;
    default:
      res.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is nothing here.');
  }
}

function signedIn(baseUrl: string, token: string): string {
  const shown = /^[\w.-]+$/.test(token) ? token : 'no user token came';
  return `<p>castellan sent this application your user token:</p>
<pre id="token">${shown}</pre>
<p>Ask the API whose it is; one click selects the whole command:</p>
<pre id="command">curl -H "Authorization: Bearer ${shown}" ${baseUrl}/token</pre>
<p><a class="button" href="/sign-in">Sign in as somebody else</a></p>
<p class="note">A real application keeps the token to itself.</p>`;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2433; --soft: #56617a; --paper: #f7f9fc; --card: #fff; --line: #dfe4ee; --mark: #1f4f86; --on-mark: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf5; --soft: #a3aec5; --paper: #12161f; --card: #1b212d; --line: #313a4c; --mark: #9cc3f5; --on-mark: #12161f; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.25rem; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main { width: 100%; max-width: 44rem; background: var(--card); border: 1px solid var(--line); border-top: .25rem solid var(--mark); border-radius: .6rem; padding: 1.75rem; }
h1 { margin: 0 0 .75rem; font-size: 1.4rem; line-height: 1.25; }
p { margin: 0 0 .75rem; }
pre { margin: 0 0 1.25rem; padding: .75rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--paper); font: .85rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
.note { margin: 1.25rem 0 0; color: var(--soft); font-size: .85rem; }
.button { display: inline-block; padding: .55rem 1.1rem; border-radius: .4rem; background: var(--mark); color: var(--on-mark); text-decoration: none; font-weight: 600; }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

function send(res: ServerResponse, title: string, body: string): void {
  res.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  });
  res.end(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>
${body}
</main></body>
</html>
`);
}
