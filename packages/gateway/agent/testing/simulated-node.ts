import { FairleadError, type IpAddress } from '@fairlead/control';
import type { Frontend } from '../../protocol/configuration.ts';
import type { FlowClient, Flows, GatewayNode } from '../apply/node.ts';
import { SimulatedNft } from './simulated-nft.ts';

/** The process is gone: no code of ours may catch this and go on. */
export class Killed extends Error {}

/** What is to happen at a call of the node. */
export type Fault = 'killed-before' | 'killed-half-way' | 'killed-after' | 'refused';

/**
 * A gateway node in memory. It outlives the processes on it: `process` gives one what it has of the node, and every call
 * it makes is counted, so that a test can have it fail or die there.
 */
export class SimulatedNode {
  readonly nft = new SimulatedNft();
  readonly files = new Map<string, string>();
  /** What keepalived was told last. */
  keepalived: string | undefined;
  isHealthy = true;
  /** Flows that were forgotten. */
  readonly forgotten: string[] = [];
  /** Frontend -> who has flows there. */
  readonly clients = new Map<string, readonly IpAddress[]>();
  /** The calls of all processes, in order. */
  readonly calls: string[] = [];

  process(faultAt: (call: number, name: string) => Fault | undefined = () => undefined): GatewayNode {
    let isDead = false;
    const call = async <Result>(name: string, effect: () => Result, half: () => void = () => {}): Promise<Result> => {
      await Promise.resolve();
      if (isDead) throw new Killed();
      const fault = faultAt(this.calls.push(name) - 1, name);
      if (fault === 'refused') {
        throw new FairleadError(`${name} fails`, { verdict: 'retriable', code: 'simulated-failure' });
      }
      if (fault === 'killed-half-way') half();
      if (fault === 'killed-before' || fault === 'killed-half-way') {
        isDead = true;
        throw new Killed();
      }
      const result = effect();
      if (fault !== 'killed-after') return result;
      isDead = true;
      throw new Killed();
    };
    const append = (name: string, text: string) => void this.files.set(name, (this.files.get(name) ?? '') + text);
    return {
      nft: {
        run: (script) => call('nft run', () => this.nft.run(script)),
        list: (script) => call('nft list', () => this.nft.list(script)),
        accepts: (script) => call('nft check', () => this.nft.accepts(script)),
      },
      keepalived: {
        check: () => call('keepalived check', () => {}),
        use: (configuration) => call('keepalived use', () => void (this.keepalived = configuration)),
        report: (isHealthy) => call('keepalived report', () => void (this.isHealthy = isHealthy)),
      },
      conntrack: {
        forget: (flows) => call('conntrack forget', () => void this.forgotten.push(flowsText(flows))),
        clients: (frontend) => call('conntrack list', () => this.#clientsOf(frontend)),
      },
      state: {
        read: (name) => call('read file', () => this.files.get(name)),
        replace: (name, text) => call('replace file', () => void this.files.set(name, text)),
        append: (name, text) =>
          call(
            'append to file',
            () => append(name, text),
            () => append(name, text.slice(0, text.length / 2)),
          ),
      },
      localAddresses: () => [],
    };
  }

  #clientsOf({ address, protocol }: Omit<Frontend, 'port'>): readonly FlowClient[] {
    return [...this.clients].flatMap(([frontend, clients]) => {
      const [, port] = frontend.split(`${address} ${protocol}/`);
      return port === undefined ? [] : clients.map((client) => ({ client, port: Number(port) }));
    });
  }
}

function flowsText({ frontend, client, backend }: Flows): string {
  const from = client === undefined ? '' : ` from ${client}`;
  const to = backend === undefined ? '' : ` to ${[backend.address, backend.port ?? ''].join(' ').trim()}`;
  const { address, protocol, port } = frontend;
  return `${address} ${protocol}${port === undefined ? '' : `/${port}`}${from}${to}`;
}
