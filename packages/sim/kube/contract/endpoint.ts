import type { HttpTransport } from '@fairlead/control';

/** An API server that the contract is tried on: the simulated one, or a real one. */
export interface ContractEndpoint {
  readonly transport: HttpTransport;
  /** Without a slash at the end. */
  readonly url: string;
  /** Credentials, where the server wants them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Lets so much of the server's time pass. */
  wait(milliseconds: number): Promise<void>;
}
