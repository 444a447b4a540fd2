import { createServer, type Server } from 'node:net';

/** Three ports beside each other that are nobody else's until they are released. */
interface Ports {
  readonly first: number;
  release(): Promise<void>;
}

/**
 * Claims three free neighbours below the range that systems hand out by themselves. A port that is merely free may be
 * another test's a moment later, so the fourth one is listened on as long as they are in use: whoever else looks for
 * ports, in another process or another run, tries that first.
 */
export async function claimPorts(): Promise<Ports> {
  for (let tries = 0; tries < 100; tries++) {
    const first = 20_000 + Math.floor(Math.random() * 3_000) * 4;
    const claim = await hold(first + 3);
    if (claim === undefined) continue;
    const held = await Promise.all([first, first + 1, first + 2].map(hold));
    await Promise.all(held.map((server) => server && close(server)));
    if (held.every((server) => server !== undefined)) {
      return { first, release: () => close(claim) };
    }
    await close(claim);
  }
  throw new Error('no three free ports beside each other');
}

/** Listens on a port of the loopback address; undefined when it is taken. */
function hold(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((closed) => server.close(() => closed()));
}
