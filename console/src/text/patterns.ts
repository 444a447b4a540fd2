/** Regular expressions for the `pattern` of fields, which the browser checks before anything is sent. */
export const DIGITS = '[0-9]+';
/** A token, perhaps with the blanks that were copied with it. Others than visible ASCII cannot be sent in a header. */
export const TOKEN = '\\s*[!-~]+\\s*';
