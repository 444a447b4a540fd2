/** Lets so many at a time do something; the others wait for their turn, first come, first served. */
export type Semaphore = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createSemaphore(atOnce: number): Semaphore {
  const line: (() => void)[] = [];
  let free = atOnce;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((go) => line.push(go));
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
