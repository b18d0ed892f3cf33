import { open } from 'node:fs/promises';
import { readField, readText } from './untyped.ts';

/** A request that would change something, whether or not the server then granted it. */
export interface WriteRequest {
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  /** The plural, such as `services`, or with its subresource, `services/status`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  /** Absent for a create: the name is in its body. */
  readonly name: string | undefined;
}

/** The API server's log of write requests. A request is in it before it is handled, hence before it is answered. */
export class AuditLog {
  readonly #path: string;
  #start = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The requests since the last reset, oldest first. */
  async read(): Promise<WriteRequest[]> {
    const text = (await this.#whole()).toString();
    return text.split('\n').flatMap((line) => (line === '' ? [] : [parseLine(line)]));
  }

  async reset(): Promise<void> {
    this.#start += (await this.#whole()).length;
  }

  /** From the last reset on, and whole lines only: the last one may be half written. */
  async #whole(): Promise<Buffer> {
    const file = await open(this.#path);
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(size - this.#start);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, this.#start);
      return buffer.subarray(0, buffer.lastIndexOf('\n', bytesRead) + 1);
    } finally {
      await file.close();
    }
  }
}

function parseLine(line: string): WriteRequest {
  const event: unknown = JSON.parse(line);
  const object = readField(event, 'objectRef');
  const resource = readText(object, 'resource');
  const subresource = optionalText(object, 'subresource');
  return {
    user: readText(readField(event, 'user'), 'username'),
    userAgent: optionalText(event, 'userAgent') ?? '',
    verb: readText(event, 'verb'),
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace: optionalText(object, 'namespace'),
    name: optionalText(object, 'name'),
  };
}

function optionalText(value: unknown, name: string): string | undefined {
  const found = readField(value, name);
  return typeof found === 'string' ? found : undefined;
}
