/** One field as protobuf writes it. */
export type WireField =
  | { readonly number: number; readonly type: 'varint'; readonly value: bigint }
  | { readonly number: number; readonly type: 'fixed64'; readonly value: DataView }
  | { readonly number: number; readonly type: 'bytes'; readonly value: Uint8Array };

/** What is no protobuf. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** The fields of a message in the order in which they are written. Throws a WireError. */
export function* readFields(message: Uint8Array): Generator<WireField, void, void> {
  const reader = new WireReader(message);
  while (!reader.done) {
    const tag = Number(reader.varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, type: 'varint', value: reader.varint() };
        break;
      case 1: {
        const { buffer, byteOffset } = reader.take(8);
        yield { number, type: 'fixed64', value: new DataView(buffer, byteOffset, 8) };
        break;
      }
      case 2:
        yield { number, type: 'bytes', value: reader.take(Number(reader.varint())) };
        break;
      default:
        throw new WireError(`unexpected wire type ${tag & 7}`);
    }
  }
}

/** The numbers of a list that is written in one piece. */
export function* readPacked(bytes: Uint8Array): Generator<bigint, void, void> {
  const reader = new WireReader(bytes);
  while (!reader.done) yield reader.varint();
}

class WireReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#position >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#position];
      if (byte === undefined) throw new WireError('the message ends in the middle of a number');
      this.#position += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new WireError('a number is too long');
  }

  take(length: number): Uint8Array {
    const end = this.#position + length;
    if (end > this.#bytes.length) throw new WireError('the message ends in the middle of a field');
    const bytes = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return bytes;
  }
}
