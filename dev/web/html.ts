import { createHash } from 'node:crypto';
import { BRAND, BRAND_STYLE, FAVICON } from '../../server/shared/brand.ts';
import { type Answer, html } from './http.ts';

const STYLE = `
:root{color-scheme:light dark;--paper:#f7f9fc;--card:#fff;--ink:#1d2433;--soft:#56617a;--line:#dfe4ee;--mark:#1f4f86}
@media (prefers-color-scheme:dark){:root{--paper:#12161f;--card:#1b212d;--ink:#e8ecf5;--soft:#a3aec5;--line:#313a4c;--mark:#9cc3f5}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0}h2{font-size:1.05rem;margin:1.75rem 0 .5rem}
p{margin:.4rem 0}a{color:var(--mark)}code{overflow-wrap:anywhere;font-size:.9em}
.note{color:var(--soft)}
.row{display:flex;flex-wrap:wrap;gap:.5rem}.row input{flex:1 1 12rem}
input[type=search],button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.55rem .8rem}
button{cursor:pointer}button:hover{border-color:var(--mark)}
:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
ul{list-style:none;margin:0;padding:0}.scopes li{padding:.2rem 0}.scopes label{display:flex;gap:.6rem;align-items:baseline;overflow-wrap:anywhere}
.people{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(16rem,100%),1fr));gap:.6rem}
.people li{position:relative;background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.7rem .9rem}
.people li:hover,.people li:focus-within{border-color:var(--mark)}
.people button{all:unset;cursor:pointer;font-weight:600;color:var(--mark)}.people button::after{content:"";position:absolute;inset:0;border-radius:.6rem}
.people button:focus-visible::after{outline:3px solid var(--mark);outline-offset:2px}
.people p{margin:0;font-size:.875rem;color:var(--soft)}
.badge{font-size:.7rem;font-weight:700;letter-spacing:.05em;border:1px solid currentColor;border-radius:1rem;padding:.05rem .5rem;margin-left:.4rem;color:var(--soft)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .6rem .4rem 0;border-bottom:1px solid var(--line)}
${BRAND_STYLE}
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; base-uri 'none'; frame-ancestors 'none'`;

/** Text made safe for element content and quoted attributes. */
export function escapeHtml(value: string | number): string {
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A whole page around a body of markup; everything variable in it must be escaped already. */
export function page(status: number, title: string, body: string): Answer {
  const document = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · castellan</title>${FAVICON}<style>${STYLE}</style></head>
<body><main>${BRAND}<h1>${escapeHtml(title)}</h1>${body}</main></body>
</html>
`;
  return html(status, document, {
    'content-security-policy': POLICY,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
}
