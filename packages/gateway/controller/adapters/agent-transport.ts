import { readFile } from 'node:fs/promises';
import type { Clock, HttpRequest, HttpResponse, HttpTransport } from '@fairlead/control';
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
    this.#readAt = this.#clock.monotonic();
    const files = await this.#read();
    if (current !== undefined && isSame(current.files, files)) return current.transport;
    const transport = new SocketTransport({ tls: files });
    this.#current = { files, transport };
    return transport;
  }

  async #read(): Promise<Files> {
    const { certificateFile, keyFile, authorityFile } = this.#files;
    const [certificate, key, certificateAuthority] = await Promise.all(
      [certificateFile, keyFile, authorityFile].map((path) => readFile(path, 'utf8')),
    );
    return { certificate: certificate ?? '', key: key ?? '', certificateAuthority: certificateAuthority ?? '' };
  }
}

function isSame(one: Files, other: Files): boolean {
  return (
    one.certificate === other.certificate &&
    one.key === other.key &&
    one.certificateAuthority === other.certificateAuthority
  );
}
