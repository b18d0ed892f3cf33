/** Wall time as metav1.Time has it: to the second. */
export function secondTime(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}

/** Wall time as metav1.MicroTime has it: the server insists on all six digits. */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}
