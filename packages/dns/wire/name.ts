const MOST_BYTES = 255;
const MOST_LABEL_BYTES = 63;
const LABEL = /^[a-z0-9_](?:[-a-z0-9_]*[a-z0-9_])?$/;

/** Whether it can be a label of a name in the zone: lower case, an underscore where a service or protocol has one. */
export function isLabel(text: string): boolean {
  return text.length <= MOST_LABEL_BYTES && LABEL.test(text);
}

/** Whether it is a lower-case name such as `web.shop.svc.clusterset.local`. */
export function isName(text: string): boolean {
  return text.length + 2 <= MOST_BYTES && text.split('.').every(isLabel);
}

/** The wire form of a name. Undefined when it is none. */
export function encodeName(text: string): Buffer | undefined {
  if (!isName(text)) return undefined;
  const bytes = Buffer.allocUnsafe(text.length + 2);
  bytes.write(text, 1, 'latin1');
  let label = 0;
  for (let at = text.indexOf('.'); at >= 0; at = text.indexOf('.', at + 1)) {
    bytes[label] = at - label;
    label = at + 1;
  }
  bytes[label] = text.length - label;
  bytes[text.length + 1] = 0;
  return bytes;
}

/** The name at `from`, which must be sound and uncompressed, for a person: what is not printable is escaped. */
export function nameText(bytes: Buffer, from: number): string {
  const labels: string[] = [];
  for (let at = from, length = bytes[at] ?? 0; length > 0; at += length + 1, length = bytes[at] ?? 0) {
    labels.push([...bytes.subarray(at + 1, at + 1 + length)].map(printable).join(''));
  }
  return labels.length === 0 ? '.' : labels.join('.');
}

function printable(byte: number): string {
  const isPlain = byte > 0x20 && byte < 0x7f && byte !== 0x2e && byte !== 0x5c;
  return isPlain ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, '0')}`;
}

/** Letters of a name count in either case. */
export function lowerCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

/** Whether `length` bytes of a message are the same name, or end of one, as those of `name`, which are in lower case. */
export function isSameName(bytes: Buffer, from: number, length: number, name: Buffer): boolean {
  for (let index = 0; index < length; index += 1) {
    if (lowerCase(bytes[from + index] ?? 0) !== name[index]) return false;
  }
  return true;
}
