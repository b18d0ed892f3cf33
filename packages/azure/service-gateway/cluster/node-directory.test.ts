import type { Node } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { ip } from '../testing/keys.ts';
import { NodeDirectory } from './node-directory.ts';

// Edge cases are numbered as in docs/azure-service-gateway.md.

function node(name: string, ...addresses: readonly string[]): Node {
  return {
    metadata: { name },
    status: { addresses: addresses.map((address) => ({ type: 'InternalIP', address })) },
  };
}

describe('NodeDirectory', () => {
  it('edge case 11: puts an address under the node IP of its own family, in canonical spelling', () => {
    const directory = new NodeDirectory();
    directory.set(node('a', '2001:DB8::0:1', '10.0.0.1'));
    expect(directory.addressKeyOf(ip('10.1.0.1'), 'a')).toEqual({ address: '10.1.0.1', location: '10.0.0.1' });
    expect(directory.addressKeyOf(ip('2001:db8::5'), 'a')).toEqual({ address: '2001:db8::5', location: '2001:db8::1' });
  });

  it('edge case 8: tells those who asked for a node that was not known yet', () => {
    const directory = new NodeDirectory();
    directory.watch('service shop/web', new Set(['a', 'b']));
    expect(directory.addressKeyOf(ip('10.1.0.1'), 'a')).toBeUndefined();
    expect([...directory.set(node('a', '10.0.0.1'))]).toEqual(['service shop/web']);
  });

  it('tells no watcher of a node whose addresses are as they were, and of its end', () => {
    const directory = new NodeDirectory();
    directory.watch('pod 1', new Set(['a']));
    directory.set(node('a', '10.0.0.1'));
    expect([...directory.set(node('a', '10.0.0.1'))]).toEqual([]);
    expect([...directory.delete('a')]).toEqual(['pod 1']);
    expect([...directory.delete('a')]).toEqual([]);
  });

  it('tells only of nodes that were asked for last', () => {
    const directory = new NodeDirectory();
    directory.watch('pod 1', new Set(['a']));
    directory.watch('pod 1', new Set(['b']));
    expect([...directory.set(node('a', '10.0.0.1'))]).toEqual([]);
    expect([...directory.set(node('b', '10.0.0.2'))]).toEqual(['pod 1']);
  });

  it('knows the families of all nodes', () => {
    const directory = new NodeDirectory();
    expect(directory.families).toEqual(['IPv4']);
    directory.set(node('a', '10.0.0.1', '2001:db8::1'));
    expect(directory.families).toEqual(['IPv4', 'IPv6']);
    directory.set(node('a', '2001:db8::1'));
    expect(directory.families).toEqual(['IPv6']);
    directory.delete('a');
    expect(directory.families).toEqual(['IPv4']);
  });
});
