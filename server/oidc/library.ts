/**
 * Loads the OpenID Connect library. While loading it prints a warning about Node 20, on which it works all the same;
 * the warning is suppressed because it is not JSON, as the log is.
 */
async function quietly<T>(load: () => Promise<T>): Promise<T> {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return await load();
  } finally {
    console.warn = warn;
  }
}

export const { Provider, errors, interactionPolicy } = await quietly(() => import('oidc-provider'));
