import { queryFor } from './queries.ts';

const RCODES = new Map([
  [0, 'NOERROR'],
  [2, 'SERVFAIL'],
  [3, 'NXDOMAIN'],
  [5, 'REFUSED'],
]);
const RECORD_BYTES = 16;
const queries = new Map<string, Buffer>();

/**
 * What a name leads to over so many turns: the addresses, or the rcode where there are none. Quick, for simulations that
 * ask after every step.
 */
export function lookUp(name: string, turns: number, ask: (query: Buffer) => Buffer): string {
  const query = queries.get(name) ?? queryFor(name, 'A', { edns: 1_232 });
  queries.set(name, query);
  const seen = new Set<string>();
  for (let turn = 0; turn < turns; turn += 1) {
    const reply = ask(query);
    if (reply.length === 0) return 'no reply';
    const count = reply.readUInt16BE(6);
    if (count === 0) seen.add(RCODES.get((reply[3] ?? 0) & 0xf) ?? 'another rcode');
    const first = name.length + 18;
    for (let index = 0; index < count; index += 1) {
      const end = first + RECORD_BYTES * (index + 1);
      seen.add(reply.subarray(end - 4, end).join('.'));
    }
  }
  return [...seen].toSorted().join(' ');
}
