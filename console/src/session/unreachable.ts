/** That the service gave no answer. The browser's own error is of the type that faulty arguments have, too. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** `fetch`, with an error of its own where no answer came in time. */
export async function send(...request: Parameters<typeof fetch>): Promise<Response> {
  try {
    return await fetch(...request);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Unreachable(String(error), { cause: error });
  }
}
