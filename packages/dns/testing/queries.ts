import { decode, type DecodedPacket, encode, type OptAnswer, type Packet } from 'dns-packet';

export interface AskOptions {
  readonly id?: number;
  readonly flags?: number;
  /** The size that an OPT record names. */
  readonly edns?: number;
  readonly version?: number;
}

/** A query as a resolver sends it; types that dns-packet does not know by name are numbers. */
export function queryFor(name: string, type: string | number = 'A', options: AskOptions = {}): Buffer {
  const { id = 4711, flags = 0x0100, edns, version = 0 } = options;
  const opt: OptAnswer = {
    type: 'OPT',
    name: '.',
    udpPayloadSize: edns ?? 0,
    extendedRcode: 0,
    ednsVersion: version,
    flags: 0,
    flag_do: false,
    options: [],
  };
  const packet: Packet = { type: 'query', id, flags, questions: [{ type: 'A', name }] };
  const bytes = encode(edns === undefined ? packet : { ...packet, additionals: [opt] });
  bytes.writeUInt16BE(typeof type === 'number' ? type : numberOf(type), 12 + name.length + (name === '.' ? 0 : 2));
  return bytes;
}

const NUMBERS = new Map([
  ['A', 1],
  ['NS', 2],
  ['SOA', 6],
  ['TXT', 16],
  ['AAAA', 28],
  ['SRV', 33],
]);

function numberOf(type: string): number {
  const number = NUMBERS.get(type);
  if (number === undefined) throw new RangeError(`${type} has no number here`);
  return number;
}

/** What dns-packet makes of a reply. */
export function read(bytes: Buffer): DecodedPacket & { readonly rcode?: string } {
  return decode(bytes);
}

/** The data of its answers, as text. */
export function answersIn(bytes: Buffer): readonly string[] {
  return (read(bytes).answers ?? []).map((answer) =>
    'data' in answer && typeof answer.data === 'string' ? answer.data : '',
  );
}
