/** The logo of all pages, the console's included. */
const DRAWING =
  '<rect width="32" height="32" rx="7" fill="#1f4f86"/><path fill="#fff" d="M6 7h4v3h4V7h4v3h4V7h4v8H6zM8 16.5h16V26h-4.5v-3.5a3.5 3.5 0 0 0-7 0V26H8z"/>';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${DRAWING}</svg>`;

/** Link element for pages whose policy allows images from data: URLs. */
export const FAVICON = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(SVG)}">`;
/** Logo and name, for the top of a page; `.brand` lays it out. */
export const BRAND = `<p class="brand"><svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">${DRAWING}</svg> castellan</p>`;
export const BRAND_STYLE =
  '.brand { display: flex; align-items: center; gap: .6rem; margin: 0 0 1.25rem; font-weight: 700; }';
