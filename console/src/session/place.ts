/** Where the service is: what the page was told that stands before all its paths. */
const prefix = document.querySelector<HTMLMetaElement>('meta[name=castellan-prefix]')?.content ?? '';

export const SERVICE = `${location.origin}${prefix}`;
/** What the paths of all screens begin with. */
export const HOME = `${prefix}/console`;
