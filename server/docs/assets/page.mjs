/** The script of the pages: search, and trying operations out. All else works without it. */

const TOKEN = 'castellan.docs.token';

/** @param {string} selector @param {ParentNode} within */
function all(selector, within = document) {
  return /** @type {HTMLElement[]} */ ([...within.querySelectorAll(selector)]);
}

for (const element of all('.search, .token, .try')) element.hidden = false;
for (const input of document.querySelectorAll('input')) {
  if (input.id === 'search') offerSearch(input);
  if (input.id === 'token') storeToken(input);
}
for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (form.dataset.path !== undefined) void tryOut(form, form.dataset.path);
  });
}

/**
 * Hides entries that do not match the search.
 *
 * @param {HTMLInputElement} input
 */
function offerSearch(input) {
  const entries = all('nav [data-find]');
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const entry of entries) {
      const text = `${entry.dataset.find} ${entry.textContent}`.toLowerCase();
      entry.hidden = !words.every((word) => text.includes(word));
      if (!entry.hidden) found += 1;
    }
    for (const list of all('nav ul[aria-labelledby]')) {
      const empty = all('li', list).every(({ hidden }) => hidden);
      list.hidden = empty;
      const title = document.getElementById(list.getAttribute('aria-labelledby') ?? '');
      if (title) title.hidden = empty;
    }
    for (const status of all('#found')) status.textContent = words.length === 0 ? '' : `${found} found`;
  });
}

/**
 * Keeps the token in the session storage: for reloads of this tab only.
 *
 * @param {HTMLInputElement} input
 */
function storeToken(input) {
  input.value = sessionStorage.getItem(TOKEN) ?? '';
  input.addEventListener('input', () => sessionStorage.setItem(TOKEN, input.value.trim()));
  document.getElementById('forget')?.addEventListener('click', () => {
    sessionStorage.removeItem(TOKEN);
    input.value = '';
    input.focus();
  });
}

/**
 * Sends the request in the form, and shows the answer and the equivalent command.
 *
 * @param {HTMLFormElement} form
 * @param {string} path
 */
async function tryOut(form, path) {
  const request = requestOf(form, path);
  const token = form.dataset.token === undefined ? '' : (sessionStorage.getItem(TOKEN) ?? '');
  if (token !== '') request.headers.authorization = `Bearer ${token}`;
  /** @param {HTMLElement[]} elements */
  const show = (...elements) => {
    for (const outcome of all('.outcome', form)) outcome.replaceChildren(...elements);
  };
  show(paragraph('Sending …'));
  const started = performance.now();
  try {
    const { url, ...init } = request;
    const response = await fetch(url, { ...init, redirect: 'error' });
    const text = await response.text();
    const milliseconds = Math.round(performance.now() - started);
    show(
      paragraph(`${response.status} ${response.statusText}, after ${milliseconds} ms`),
      block(pretty(text)),
      paragraph('By the command line:'),
      block(commandOf(request)),
    );
  } catch (error) {
    show(paragraph(`The request failed: ${error instanceof Error ? error.message : error}`));
  }
}

/**
 * @param {HTMLFormElement} form @param {string} path
 * @returns {{ url: string, method: string, headers: Record<string, string>, body?: string }}
 */
function requestOf(form, path) {
  let filled = path;
  const query = new URLSearchParams();
  /** @type {Record<string, string>} */
  const headers = {};
  for (const input of form.querySelectorAll('input')) {
    const { in: where, name = '' } = input.dataset;
    // Paths of the game's API contain slashes; no other parameter may.
    if (where === 'path') {
      const encoded = encodeURIComponent(input.value);
      filled = filled.replace(`{${name}}`, name.endsWith('_path') ? encoded.replaceAll('%2F', '/') : encoded);
    } else if (input.value !== '') {
      if (where === 'query') query.set(name, input.value);
      else headers[name] = input.value;
    }
  }
  const search = query.size > 0 ? `?${query}` : '';
  const url = location.origin + (document.body.dataset.base ?? '') + filled + search;
  const method = form.dataset.method ?? 'GET';
  const body = form.querySelector('textarea')?.value;
  if (body) headers['content-type'] = 'application/json';
  return { url, method, headers, ...(body && { body }) };
}

/** @param {ReturnType<typeof requestOf>} request */
function commandOf({ url, method, headers, body }) {
  const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) =>
      name === 'authorization' ? '-H "Authorization: Bearer $TOKEN"' : `-H ${quoted(`${name}: ${value}`)}`,
    ),
    ...(body ? [`-d ${quoted(body)}`] : []),
  ].join(' \\\n  ');
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text === '' ? '(no body)' : text;
  }
}

/** @param {string} text */
function paragraph(text) {
  const element = document.createElement('p');
  element.textContent = text;
  return element;
}

/** @param {string} text */
function block(text) {
  const element = document.createElement('pre');
  element.append(document.createElement('code'));
  element.firstElementChild?.append(text);
  return element;
}
