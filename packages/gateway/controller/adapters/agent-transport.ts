import { readFile } from 'node:fs/promises';
import {
  type Clock,
  FairleadError,
  type HttpRequest,
  type HttpResponse,
  type HttpTransport,
  messageOf,
} from '@fairlead/control';
import { SocketTransport } from '@fairlead/control/adapters';
import type { CertificateFiles } from '../configuration.ts';

/** How old the files may be: renewed certificates are in use soon after they were written. */
const FRESH_MILLISECONDS = 30_000;

interface Files {
  readonly certificate: string;
  readonly key: string;
  readonly certificateAuthority: string;
}

/** Goes to agents with a certificate of ours, which is read again now and then; connections are made anew when it changed. */
export class AgentTransport implements HttpTransport {
  readonly #files: CertificateFiles;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #current: { readonly files: Files; readonly transport: SocketTransport } | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(files: CertificateFiles, clock: Pick<Clock, 'monotonic'>) {
    this.#files = files;
    this.#clock = clock;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    return (await this.#transport()).send(request);
  }

  async #transport(): Promise<SocketTransport> {
    const current = this.#current;
    if (current !== undefined && this.#clock.monotonic() - this.#readAt < FRESH_MILLISECONDS) return current.transport;
    const files = await this.#read();
    this.#readAt = this.#clock.monotonic();
    if (current !== undefined && isSame(current.files, files)) return current.transport;
    // Connections of the one before it are given up when they have been idle for a while.
    const transport = new SocketTransport({ tls: files });
    this.#current = { files, transport };
    return transport;
  }

  async #read(): Promise<Files> {
    const { certificateFile, keyFile, authorityFile } = this.#files;
    const [certificate, key, certificateAuthority] = await Promise.all(
      [certificateFile, keyFile, authorityFile].map(readCertificate),
    );
    return { certificate: certificate ?? '', key: key ?? '', certificateAuthority: certificateAuthority ?? '' };
  }
}

async function readCertificate(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const message = `the certificate file ${path} cannot be read: ${messageOf(error)}`;
    throw new FairleadError(message, { verdict: 'retriable', code: 'certificate-unreadable', cause: error });
  }
}

function isSame(one: Files, other: Files): boolean {
  return (
    one.certificate === other.certificate &&
    one.key === other.key &&
    one.certificateAuthority === other.certificateAuthority
  );
}
