/**
 * The library that speaks OpenID Connect. It warns of Node 20 when it is loaded, on which it works all the same; a line
 * that is no JSON does not belong into the log.
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
