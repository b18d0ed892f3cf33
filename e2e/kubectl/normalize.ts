/** What two clusters never agree on, in the order in which it is taken out. */
const DIFFERENCES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'UID'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME'],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}/g, 'TIME'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME'],
  [/(resourceVersion: |resourceVersion": )"\d+"/g, '$1"VERSION"'],
  [/(Resource Version:\s+)\d+/g, '$1VERSION'],
  [/https?:\/\/127\.0\.0\.1:\d+/g, 'SERVER'],
  // Addresses and ports of Services are chosen by chance.
  [/\b10\.96\.\d+\.\d+\b/g, 'CLUSTER-IP'],
  [/\bfd00:[\da-f:]+/g, 'CLUSTER-IP'],
  [/\b3[0-2]\d{3}\b/g, 'NODE-PORT'],
  // So are the ends of generated names.
  [/\b(kube-api-access-)[a-z\d]{5}\b/g, '$1SUFFIX'],
  [/\b(web-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1SUFFIX'],
  [/\b(LIVE-|MERGED-|kubectl-edit-)\d+/g, '$1NUMBER'],
  // Ages, and with them the widths of columns.
  [/\b\d+[smhdy](?:\d+[smhd])?\b/g, 'AGE'],
  [/ {2,}/g, '  '],
  [/ +$/gm, ''],
];

/** The output of a command without what two clusters never agree on. */
export function normalized(text: string): string {
  return DIFFERENCES.reduce((result, [pattern, replacement]) => result.replaceAll(pattern, replacement), text);
}
