import type { IpAddress } from '@fairlead/control';
import type { Backend, Frontend } from '../../protocol/configuration.ts';

/*
 * What an agent has of its node. The real ones are in `adapters`, the simulated ones in `testing`.
 */

export interface Nft {
  /** Runs a script as one transaction: all of it or nothing. Throws `nft-refused` with what nft says. */
  run(script: string): Promise<void>;
  /** Lists what the command asks for, as nft's JSON; undefined where it is not there. */
  list(command: string): Promise<readonly unknown[] | undefined>;
  /** Whether the script could be run now: what it deletes is there, what it adds is not there in another form. */
  accepts(script: string): Promise<boolean>;
}

export interface Keepalived {
  /** Throws `keepalived-refused` where keepalived does not like it. */
  check(configuration: string): Promise<void>;
  /** Goes over to it, without letting go of addresses that it keeps; starts keepalived where it does not run. */
  use(configuration: string): Promise<void>;
  /** Whether the node may hold addresses at all. */
  report(isHealthy: boolean): Promise<void>;
}

/** Flows of a protocol to a frontend, or to all of an address: all, those of a client, or those to a backend. */
export interface Flows {
  readonly frontend: Omit<Frontend, 'port'> & { readonly port?: number };
  readonly client?: IpAddress;
  readonly backend?: Omit<Backend, 'port'> & { readonly port?: number };
}

export interface FlowClient {
  readonly client: IpAddress;
  readonly port: number;
}

export interface Conntrack {
  /** Forgets them: the next packet of each is treated as the first of a new one. */
  forget(flows: Flows): Promise<void>;
  /** Who has flows of a protocol to an address, and to which of its ports. */
  clients(frontend: Omit<Frontend, 'port'>): Promise<readonly FlowClient[]>;
}

/** Files that outlive the process, and the power. */
export interface StateFolder {
  read(name: string): Promise<string | undefined>;
  /** The file is either as it was or as it is to be, whenever the power goes. */
  replace(name: string, text: string): Promise<void>;
  /** On disk when it returns. */
  append(name: string, text: string): Promise<void>;
}

export interface GatewayNode {
  readonly nft: Nft;
  /** Absent where another program brings the addresses' packets to the node. */
  readonly keepalived?: Keepalived;
  readonly conntrack: Conntrack;
  readonly state: StateFolder;
  /** Addresses that are on the node at the moment. */
  localAddresses(): readonly IpAddress[];
}
