/** The path prefix of the service, which the server writes into the page. */
const prefix = document.querySelector<HTMLMetaElement>('meta[name=castellan-prefix]')?.content ?? '';

export const SERVICE = `${location.origin}${prefix}`;
/** The prefix of the paths of all screens. */
export const HOME = `${prefix}/console`;
