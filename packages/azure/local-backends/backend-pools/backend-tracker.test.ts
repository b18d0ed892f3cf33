import { type IpAddress, type IpFamily, requireIpAddress } from '@fairlead/control';
import type { Endpoint, EndpointSlice, Node, ObjectKey } from '@fairlead/kube';
import { EndpointIndex, type ServiceKey } from '@fairlead/service';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type BackendsChange, BackendTracker } from './backend-tracker.ts';

const ready = (nodeName: string, address = podOn(nodeName)): Endpoint => ({ addresses: [address], nodeName });
const podOn = (nodeName: string) => `10.244.${nodeName.charCodeAt(0)}.1`;
const unready = (nodeName: string): Endpoint => ({
  ...ready(nodeName),
  conditions: { ready: false, serving: false, terminating: false },
});
const draining = (nodeName: string): Endpoint => ({
  ...ready(nodeName),
  conditions: { ready: false, serving: true, terminating: true },
});

let version = 0;
function slice(name: string, endpoints: readonly Endpoint[], service = 'web'): EndpointSlice {
  version += 1;
  const labels = { 'kubernetes.io/service-name': service };
  const isIpv6 = endpoints[0]?.addresses[0]?.includes(':') === true;
  return {
    metadata: { namespace: 'shop', name, labels, resourceVersion: String(version) },
    addressType: isIpv6 ? 'IPv6' : 'IPv4',
    endpoints,
  };
}

function node(name: string, addresses: readonly string[], more: Partial<Node['metadata']> = {}): Node {
  return {
    metadata: { name, ...more },
    status: { addresses: addresses.map((address) => ({ type: 'InternalIP' as const, address })) },
  };
}

/** A tracker with three nodes that follows `shop/web`, and what it told. */
function followed() {
  const told: string[] = [];
  const note = (changes: readonly BackendsChange[]) =>
    told.push(...changes.map(({ service, family }) => `${service} ${family}`));
  const backends = new BackendTracker();
  const tracker = {
    setSlice: (made: EndpointSlice) => note(backends.setSlice(made)),
    deleteSlice: (key: ObjectKey) => note(backends.deleteSlice(key)),
    setNode: (made: Node) => note(backends.setNode(made)),
    deleteNode: (name: string) => note(backends.deleteNode(name)),
    unfollow: (service: ServiceKey) => backends.unfollow(service),
    isNode: (address: IpAddress) => backends.isNode(address),
  };
  tracker.setNode(node('a', ['10.0.0.1', 'fd00::1']));
  tracker.setNode(node('b', ['10.0.0.2', 'fd00::2']));
  tracker.setNode(node('c', ['10.0.0.3']));
  backends.follow({ service: 'shop/web', rules: 1, createdAt: '' });
  const addresses = (family: IpFamily = 'IPv4') => backends.addresses('shop/web', family);
  return { tracker, told, addresses };
}

describe('the nodes that serve a Service', () => {
  it('come from all its slices, added, changed and deleted', () => {
    const { tracker, told, addresses } = followed();
    tracker.setSlice(slice('web-1', [ready('a')]));
    tracker.setSlice(slice('web-2', [ready('b')]));
    expect(addresses()).toEqual(['10.0.0.1', '10.0.0.2']);
    tracker.setSlice(slice('web-1', []));
    expect(addresses()).toEqual(['10.0.0.2']);
    tracker.deleteSlice({ namespace: 'shop', name: 'web-2' });
    expect(addresses()).toEqual([]);
    expect(told).toEqual(Array.from({ length: 4 }, () => 'shop/web IPv4'));
  });

  it('stay while another slice still has an endpoint on them', () => {
    const { tracker, told, addresses } = followed();
    tracker.setSlice(slice('web-1', [ready('a')]));
    tracker.setSlice(slice('web-2', [ready('a', '10.244.0.2'), ready('b')]));
    told.length = 0;
    tracker.setSlice(slice('web-1', []));
    expect(addresses()).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(told).toEqual([]);
  });

  it('are those with ready endpoints, and those whose last endpoints are finishing', () => {
    const { tracker, addresses } = followed();
    tracker.setSlice(slice('web-1', [ready('a'), unready('b'), draining('c')]));
    expect(addresses()).toEqual(['10.0.0.1', '10.0.0.3']);
  });

  it('follow a node that appears late, changes its address, is excluded, or goes', () => {
    const { tracker, told, addresses } = followed();
    tracker.setSlice(slice('web-1', [ready('d')]));
    expect(addresses()).toEqual([]);
    tracker.setNode(node('d', ['10.0.0.4']));
    expect(addresses()).toEqual(['10.0.0.4']);
    tracker.setNode(node('d', ['10.0.0.5']));
    expect(addresses()).toEqual(['10.0.0.5']);
    tracker.setNode(
      node('d', ['10.0.0.5'], { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } }),
    );
    expect(addresses()).toEqual([]);
    expect(tracker.isNode(requireIpAddress('10.0.0.5'))).toBe(true);
    tracker.setNode(node('d', ['10.0.0.5']));
    tracker.deleteNode('d');
    expect(addresses()).toEqual([]);
    expect(tracker.isNode(requireIpAddress('10.0.0.5'))).toBe(false);
    expect(told).toHaveLength(5);
  });

  it('are told for the family that changed, and only of Services that are followed', () => {
    const { tracker, told, addresses } = followed();
    tracker.setSlice(slice('web-6', [ready('a', 'fd01::1')]));
    tracker.setSlice(slice('other-1', [ready('a')], 'other'));
    expect([addresses('IPv4'), addresses('IPv6')]).toEqual([[], ['fd00::1']]);
    expect(told).toEqual(['shop/web IPv6']);
    tracker.unfollow('shop/web');
    tracker.deleteSlice({ namespace: 'shop', name: 'web-6' });
    tracker.deleteNode('a');
    expect(told).toEqual(['shop/web IPv6']);
  });

  it('are told exactly when they differ from what they were, whatever happens', () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const endpoint = fc.tuple(names, fc.constantFrom(ready, unready, draining)).map(([name, make]) => make(name));
    const event = fc.oneof(
      fc.record({ slice: fc.constantFrom('web-1', 'web-2'), endpoints: fc.array(endpoint, { maxLength: 3 }) }),
      fc.record({ gone: fc.constantFrom('web-1', 'web-2') }),
      fc.record({ node: names, address: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.9') }),
      fc.record({ lost: names }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const { tracker, told, addresses } = followed();
        let last = addresses();
        for (const happened of events) {
          told.length = 0;
          if ('slice' in happened) tracker.setSlice(slice(happened.slice, happened.endpoints));
          else if ('gone' in happened) tracker.deleteSlice({ namespace: 'shop', name: happened.gone });
          else if ('node' in happened) tracker.setNode(node(happened.node, [happened.address]));
          else tracker.deleteNode(happened.lost);
          const now = addresses();
          expect(told.filter((line) => line.endsWith('IPv4'))).toHaveLength(String(now) === String(last) ? 0 : 1);
          last = now;
        }
      }),
    );
  });
});

describe('the nodes of Services that share them', () => {
  const SERVICES = ['large', 'middle', 'small'] as const;
  const RULES = { large: 200, middle: 100, small: 60 };
  const claim = (name: (typeof SERVICES)[number]) => ({
    service: `shop/${name}` as const,
    rules: RULES[name],
    createdAt: '',
  });

  it('are those with room for their rules, and all of them are told whenever that changes', () => {
    const names = fc.constantFrom('a', 'b');
    const services = fc.constantFrom(...SERVICES);
    const event = fc.oneof(
      fc.record({ service: services, nodes: fc.uniqueArray(names) }),
      fc.record({ followed: services }),
      fc.record({ unfollowed: services }),
      fc.record({ node: names, isThere: fc.boolean() }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const backends = new BackendTracker();
        backends.setNode(node('a', ['10.0.0.1']));
        backends.setNode(node('b', ['10.0.0.2']));
        const followed = new Set<string>();
        const addresses = () =>
          new Map(SERVICES.map((name) => [name, backends.addresses(`shop/${name}`, 'IPv4').join()]));
        const act = (happened: typeof event extends fc.Arbitrary<infer Event> ? Event : never) => {
          if ('service' in happened) {
            return backends.setSlice(
              slice(
                `${happened.service}-1`,
                happened.nodes.map((name) => ready(name)),
                happened.service,
              ),
            );
          }
          if ('node' in happened) {
            if (!happened.isThere) return backends.deleteNode(happened.node);
            return backends.setNode(node(happened.node, [happened.node === 'a' ? '10.0.0.1' : '10.0.0.2']));
          }
          if ('followed' in happened) {
            followed.add(happened.followed);
            return backends.follow(claim(happened.followed));
          }
          followed.delete(happened.unfollowed);
          return backends.unfollow(`shop/${happened.unfollowed}`);
        };
        for (const happened of events) {
          const before = addresses();
          const told = new Set(act(happened).map(({ service }) => service));
          const after = addresses();
          for (const name of SERVICES) {
            const isItself = 'followed' in happened && happened.followed === name;
            if (!followed.has(name) || isItself) continue;
            expect(told.has(`shop/${name}`)).toBe(before.get(name) !== after.get(name));
          }
          for (const address of ['10.0.0.1', '10.0.0.2']) {
            const there = SERVICES.filter(
              (name) => followed.has(name) && after.get(name)?.split(',').includes(address),
            );
            expect(there.reduce((sum, name) => sum + RULES[name], 0)).toBeLessThanOrEqual(250);
          }
        }
      }),
    );
  });

  it('are looked at again only of Services for which something changed, however many share a crowded node', () => {
    const NODES = 50;
    const backends = new BackendTracker();
    for (let index = 0; index < NODES; index += 1) backends.setNode(node(`n${index}`, [`10.0.1.${index + 1}`]));
    const nodesOf = (number: number) => [0, 1, 2, 3].map((step) => `n${(number * 7 + step * 13) % NODES}`);
    for (let number = 0; number < 500; number += 1) {
      const endpoints = nodesOf(number).map((name) => ready(name, '10.244.0.1'));
      backends.setSlice(slice(`s${number}-1`, endpoints, `s${number}`));
      backends.follow({ service: `shop/s${number}`, rules: 3 + (number % 40), createdAt: '' });
    }
    const hosts = vi.spyOn(EndpointIndex.prototype, 'hosts');
    try {
      let crowded = 0;
      for (let number = 0; number < 500; number += 1) {
        hosts.mockClear();
        const endpoints = nodesOf(number + 1).map((name) => ready(name, '10.244.0.1'));
        const told = backends.setSlice(slice(`s${number}-1`, endpoints, `s${number}`)).map(({ service }) => service);
        const looked = hosts.mock.calls.map(([{ namespace, name }]) => `${namespace}/${name}`);
        expect(new Set(looked)).toEqual(new Set([`shop/s${number}`, ...told]));
        crowded += backends.nodesWithoutRoom(`shop/s${number}`).length;
        hosts.mockClear();
        expect(backends.follow({ service: `shop/s${number}`, rules: 3 + (number % 40), createdAt: '' })).toEqual([]);
        expect(new Set(hosts.mock.calls.map(([{ name }]) => name))).toEqual(new Set([`s${number}`]));
      }
      expect(crowded).toBeGreaterThan(100);
    } finally {
      hosts.mockRestore();
    }
  });
});
