import { once } from 'node:events';
import { request, WebSocket } from 'undici';

/** What a program holds that cannot be collected, asked from outside. */
export interface Inspector {
  /** Bytes of objects that are left after a garbage collection. */
  heap(): Promise<number>;
  close(): Promise<void>;
}

/** Connects to a program of this machine that was started with `--inspect=127.0.0.1:{port}`. */
export async function inspect(port: number): Promise<Inspector> {
  const { body } = await request(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await body.json()) as { webSocketDebuggerUrl: string }[];
  if (target === undefined) throw new Error(`nothing can be inspected at port ${port}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await once(socket, 'open');

  function call<Result>(method: string): Promise<Result> {
    last += 1;
    const answered = new Promise<unknown>((resolve) => waiting.set(last, resolve));
    socket.send(JSON.stringify({ id: last, method }));
    return answered as Promise<Result>;
  }

  return {
    async heap() {
      await call('HeapProfiler.collectGarbage');
      return (await call<{ usedSize: number }>('Runtime.getHeapUsage')).usedSize;
    },
    async close() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}
