/** What a side measures. */
export type Measurement =
  | { readonly do: 'load'; readonly services: number }
  | { readonly do: 'change'; readonly times: number; readonly protocol: 'TCP' | 'UDP' }
  | { readonly do: 'restart' }
  | { readonly do: 'flows' };

const BACKENDS = 10;
const PORT = 80;

/** One of the Services; in a later version, one of its backends is another. */
export function virtualServer(index: number, version: number): object {
  const backend = (number: number) => ({ address: `10.${index >> 8}.${index & 255}.${number}`, port: 8_080 });
  const backends = Array.from({ length: BACKENDS }, (_, number) => backend(number + 1));
  return {
    address: addressOf(index),
    protocol: index % 2 === 0 ? 'UDP' : 'TCP',
    port: PORT,
    service: `default/service-${index}`,
    backends: version === 0 ? backends : [...backends.slice(1), backend(100 + (version % 100))],
    preservesClientAddress: false,
  };
}

/** Where the flow with this number goes: the Services by UDP take turns. */
export function flowTarget(index: number, services: number): { readonly address: string; readonly port: number } {
  return { address: addressOf((index * 14) % services), port: PORT };
}

/** The Service that changes in a round: one by TCP; or one by UDP, whose old flows have to be forgotten, too. */
export function changedService(round: number, protocol: 'TCP' | 'UDP', services: number): number {
  return (round * 74 + (protocol === 'TCP' ? 1 : 0)) % services;
}

function addressOf(index: number): string {
  return `100.64.${index >> 8}.${index & 255}`;
}
