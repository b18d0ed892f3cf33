import type { HttpTransport } from '@fairlead/control';

/** An OpenStack that the contract is tried on: the simulated one, or a real one. */
export interface ContractCloud {
  readonly transport: HttpTransport;
  /** Keystone, with its version. */
  readonly authUrl: string;
  /** Neutron, with its version. */
  readonly networkUrl: string;
  /** Octavia, with its version. */
  readonly loadBalancerUrl: string;
  /** By user; each has the project of the same name. There is a network `public` that is external. */
  readonly passwords: Readonly<Record<ContractUser, string>>;
  /** Wall time, for what expires. */
  now(): number;
  wait(milliseconds: number): Promise<void>;
}

export type ContractUser = 'admin' | 'demo' | 'other';
