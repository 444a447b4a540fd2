/** Says on standard output how far a long run is, at every twentieth of it. */
export function progressOf(what: string, total: number): (done: number) => void {
  const started = performance.now();
  let told = 0;
  return (done) => {
    const twentieths = Math.floor((done * 20) / total);
    if (twentieths <= told) return;
    told = twentieths;
    const seconds = Math.round((performance.now() - started) / 1_000);
    process.stdout.write(`${what}: ${done} of ${total} after ${seconds} s\n`);
  };
}
