import type { HttpRequest } from '@fairlead/control';
import { decodeMessage } from './decode.ts';
import { messageSchema } from './messages.ts';
import { readFields, WireError } from './wire.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** What every such body starts with. */
const MAGIC = Buffer.from('k8s\0');
const text = new TextDecoder();

/**
 * A body as the simulated server reads it: text. Programs written in Go, and some commands of kubectl, send protobuf
 * and expect JSON back; what cannot be read keeps its type, and the server refuses that.
 */
export function withReadableBody(
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
): Pick<HttpRequest, 'headers' | 'body'> {
  if (bytes.length === 0) return { headers };
  if (headers['content-type'] !== PROTOBUF) return { headers, body: text.decode(bytes) };
  const json = jsonOf(bytes);
  return json === undefined ? { headers } : { headers: { ...headers, 'content-type': 'application/json' }, body: json };
}

function jsonOf(bytes: Uint8Array): string | undefined {
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length))) return undefined;
  try {
    const envelope = bytesByNumber(bytes.subarray(MAGIC.length));
    const type = bytesByNumber(envelope.get(1) ?? new Uint8Array());
    const [apiVersion, kind] = [text.decode(type.get(1)), text.decode(type.get(2))];
    const schema = messageSchema(apiVersion, kind);
    if (schema === undefined) return undefined;
    return JSON.stringify({ kind, apiVersion, ...decodeMessage(schema, envelope.get(2) ?? new Uint8Array()) });
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

function bytesByNumber(message: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const fields = [...readFields(message)];
  return new Map(fields.flatMap((field) => (field.type === 'bytes' ? [[field.number, field.value]] : [])));
}
