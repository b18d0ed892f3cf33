/** What the work takes of this thread's processor, in milliseconds: other work on the machine does not count. */
export async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
