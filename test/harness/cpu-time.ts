/** Milliseconds for which `work` keeps a processor busy, whatever else the machine does meanwhile. */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
