import { Journal, requireIpAddress, VirtualClock } from '@fairlead/control';
import {
  type Condition,
  KubeClient,
  type LoadBalancerIngress,
  ObjectWriter,
  type Service,
  services,
} from '@fairlead/kube';
import { FakeApi } from '@fairlead/kube/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Claim, type ClaimRules, claimService } from './claim/class-claim.ts';
import { holdWrites, releaseWrites, type ServiceWrite, statusWrites, writeClaimed } from './service-writes.ts';
import { PROGRAMMED_CONDITION, programmed } from './status/service-status.ts';
import { claimIn } from './testing/claims.ts';

const WEB = '/api/v1/namespaces/shop/services/web';
const GATEWAY = 'fairlead.dev/gateway';
const BACKUP = 'example.com/backup';
const CLOUD_PROVIDER = 'service.kubernetes.io/load-balancer-cleanup';
const rules: ClaimRules = { loadBalancerClass: GATEWAY, finalizer: GATEWAY, isDefault: false };
const clock = { now: () => Date.parse('2026-05-01T12:00:00.250Z') };
const desired = {
  ingress: [{ address: requireIpAddress('192.0.2.10'), mode: 'VIP' as const }],
  programmed: programmed(['192.0.2.10']),
};

interface Shape {
  readonly class?: string;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deleted?: boolean;
  readonly ingress?: readonly LoadBalancerIngress[];
  readonly conditions?: readonly Condition[];
}

function serviceOf({ class: loadBalancerClass = GATEWAY, deleted, ingress, conditions, ...metadata }: Shape): Service {
  return {
    kind: 'Service',
    metadata: {
      name: 'web',
      namespace: 'shop',
      ...metadata,
      ...(deleted ? { deletionTimestamp: '2026-05-01T11:00:00Z' } : {}),
    },
    spec: { type: 'LoadBalancer', loadBalancerClass },
    status: {
      loadBalancer: ingress === undefined ? {} : { ingress },
      ...(conditions === undefined ? {} : { conditions }),
    },
  };
}

/** A Service on an API server, and a leader's writer to it. */
function setUp(shape: Shape, claimRules = rules) {
  const api = new FakeApi();
  const virtual = new VirtualClock();
  api.put(WEB, serviceOf(shape));
  const client = new KubeClient(api.connect(virtual), virtual);
  const { signal } = new AbortController();
  const leadership = { epoch: 1, signal, covers: () => true };
  const journal = new Journal(virtual);
  const writer = new ObjectWriter<Service>({
    client,
    clock: virtual,
    journal,
    leadership,
    resource: services,
    fieldManager: 'test',
  });
  const claim = async () => claimService(await client.get(services, { namespace: 'shop', name: 'web' }), claimRules);
  const write = ({ service }: Claim, writes: readonly ServiceWrite[]) => writer.write(service, writes, signal);
  return { api, claim, write, writer, signal, names: () => api.writes.map(({ method, path }) => `${method} ${path}`) };
}

describe('holding a Service', () => {
  it('adds our finalizers behind those of others, with the record, in one call, and none the second time', async () => {
    const companions = { ...rules, companionFinalizers: [CLOUD_PROVIDER] };
    const { claim, write, names } = setUp({ finalizers: [BACKUP], annotations: { kept: 'a', old: 'b' } }, companions);
    const record = { 'gateway.fairlead.dev/l2-ports': '192.0.2.10', old: undefined };
    const first = claimIn('claimed', await claim());
    const held = await write(first, holdWrites(first, record));
    expect(held?.metadata.finalizers).toEqual([BACKUP, GATEWAY, CLOUD_PROVIDER]);
    expect(held?.metadata.annotations).toEqual({ kept: 'a', 'gateway.fairlead.dev/l2-ports': '192.0.2.10' });
    expect(holdWrites(claimIn('claimed', await claim()), record)).toEqual([]);
    expect(names()).toEqual([`PATCH ${WEB}`]);
  });

  it('yields to another part that was quicker, and gives up a Service that changed since it was read', async () => {
    const { api, claim, write } = setUp({});
    const stale = claimIn('claimed', await claim());
    api.put(WEB, serviceOf({ finalizers: ['fairlead.dev/octavia'] }));
    await expect(write(stale, holdWrites(stale))).rejects.toMatchObject({ verdict: 'stale' });
    expect(api.at(WEB)?.metadata['finalizers']).toEqual(['fairlead.dev/octavia']);
  });
});

describe('writeClaimed', () => {
  it('gives the claim on the Service as it then is, and itself when there is nothing to write', async () => {
    const { claim, writer, signal } = setUp({});
    const first = claimIn('claimed', await claim());
    const held = await writeClaimed(writer, first, holdWrites(first), signal);
    expect(held.service.metadata.finalizers).toEqual([GATEWAY]);
    expect(await writeClaimed(writer, held, holdWrites(held), signal)).toBe(held);
  });

  it('rejects as stale when the Service is ours no more, or gone', async () => {
    const { api, claim, writer, signal } = setUp({});
    const first = claimIn('claimed', await claim());
    const other = { ...first, rules: { ...rules, loadBalancerClass: 'fairlead.dev/other' } };
    const lost = { verdict: 'stale', code: 'claim-lost' };
    await expect(writeClaimed(writer, other, holdWrites(other), signal)).rejects.toMatchObject(lost);
    api.remove(WEB);
    await expect(writeClaimed(writer, first, holdWrites(first), signal)).rejects.toMatchObject(lost);
  });
});

describe('writing the status', () => {
  it('makes one call, and none the second time', async () => {
    const { claim, write, names } = setUp({ finalizers: [GATEWAY] });
    const first = claimIn('claimed', await claim());
    const service = await write(first, statusWrites(first, desired, clock));
    expect(service?.status?.loadBalancer?.ingress).toEqual([{ ip: '192.0.2.10', ipMode: 'VIP' }]);
    expect(statusWrites(claimIn('claimed', await claim()), desired, clock)).toEqual([]);
    expect(names()).toEqual([`PATCH ${WEB}/status`]);
  });

  it('gives up as stale when the Service changed since it was claimed', async () => {
    const { api, claim, write } = setUp({});
    const before = claimIn('claimed', await claim());
    api.put(WEB, serviceOf({ class: 'other' }));
    await expect(write(before, statusWrites(before, desired, clock))).rejects.toMatchObject({ verdict: 'stale' });
    expect(api.at(WEB)).toMatchObject({ status: { loadBalancer: {} } });
  });

  it('converges in one write, whatever was there, and touches no condition of others', async () => {
    const condition = fc.record({
      type: fc.constantFrom(PROGRAMMED_CONDITION, 'example.com/Scanned', 'example.com/Audited'),
      status: fc.constantFrom('True', 'False', 'Unknown'),
      reason: fc.constantFrom('Programmed', 'Pending'),
      message: fc.constantFrom('', 'serves 192.0.2.10'),
      lastTransitionTime: fc.constant('2026-04-01T00:00:00Z'),
    });
    const point = fc.record(
      { ip: fc.constantFrom('192.0.2.10', '2001:db8::10'), ipMode: fc.constantFrom('VIP', 'Proxy') },
      { requiredKeys: ['ip'] },
    );
    const shape = fc.record(
      {
        ingress: fc.array(fc.oneof(point, fc.record({ hostname: fc.constant('web.example.com') })), { maxLength: 2 }),
        conditions: fc.uniqueArray(condition, { selector: ({ type }) => type }),
      },
      { requiredKeys: [] },
    );
    const wanted = fc.record({
      ingress: fc.array(
        fc.record({
          address: fc.constantFrom(requireIpAddress('192.0.2.10'), requireIpAddress('2001:db8::10')),
          mode: fc.constantFrom('VIP', 'Proxy'),
        }),
        { maxLength: 2 },
      ),
      programmed: fc.record({
        status: fc.constantFrom('True', 'False'),
        reason: fc.constantFrom('Programmed', 'Pending'),
        message: fc.constantFrom('', 'serves 192.0.2.10'),
      }),
    });
    const ofOthers = (service: Service) =>
      service.status?.conditions?.filter(({ type }) => type !== PROGRAMMED_CONDITION) ?? [];
    await fc.assert(
      fc.asyncProperty(shape, wanted, async (before, desired) => {
        const { claim, write, names } = setUp(before);
        const first = claimIn('claimed', await claim());
        const service = await write(first, statusWrites(first, desired, clock));
        if (service === undefined) throw new Error('the Service is gone');
        expect(statusWrites(claimIn('claimed', await claim()), desired, clock)).toEqual([]);
        expect(names().length).toBeLessThanOrEqual(1);
        expect(ofOthers(service)).toEqual(ofOthers(serviceOf(before)));
        expect(service.status?.conditions).toContainEqual(expect.objectContaining(desired.programmed));
        const shown = service.status?.loadBalancer?.ingress ?? [];
        expect(shown.map(({ ip, ipMode = 'VIP' }) => [ip, ipMode])).toEqual(
          desired.ingress.map(({ address, mode }) => [address, mode]),
        );
      }),
    );
  });
});

describe('letting go of a Service', () => {
  const condition: Condition = {
    type: PROGRAMMED_CONDITION,
    lastTransitionTime: '2026-04-01T00:00:00Z',
    ...programmed(['192.0.2.10']),
  };
  const served = { ingress: [{ ip: '192.0.2.10' }], conditions: [condition] };

  it('takes back what was said, then the finalizers and the record, and nothing of others', async () => {
    const { claim, write, names } = setUp({
      ...served,
      deleted: true,
      finalizers: [BACKUP, GATEWAY],
      annotations: { kept: 'a', 'gateway.fairlead.dev/l2-ports': '192.0.2.10' },
    });
    const first = claimIn('release', await claim());
    const service = await write(first, releaseWrites(first, ['gateway.fairlead.dev/l2-ports']));
    expect(service?.status).toEqual({ loadBalancer: {} });
    expect(service?.metadata.finalizers).toEqual([BACKUP]);
    expect(service?.metadata.annotations).toEqual({ kept: 'a' });
    expect(names()).toEqual([`PATCH ${WEB}/status`, `PATCH ${WEB}`]);
  });

  it('leaves addresses and the finalizer of cloud providers to the load balancer that serves it next', async () => {
    const companions = { ...rules, companionFinalizers: ['example.com/companion', CLOUD_PROVIDER] };
    const finalizers = [GATEWAY, 'example.com/companion', CLOUD_PROVIDER];
    const moved = setUp({ ...served, class: 'example.com/other', finalizers }, companions);
    const claim = claimIn('release', await moved.claim());
    const service = await moved.write(claim, releaseWrites(claim));
    expect(service?.metadata.finalizers).toEqual([CLOUD_PROVIDER]);
    expect(service?.status?.loadBalancer?.ingress).toEqual(served.ingress);
    const deleted = setUp({ deleted: true, finalizers: [...finalizers, BACKUP] }, companions);
    const leaving = claimIn('release', await deleted.claim());
    expect((await deleted.write(leaving, releaseWrites(leaving)))?.metadata.finalizers).toEqual([BACKUP]);
  });

  it('counts it as done when the Service is gone meanwhile', async () => {
    const { api, claim, write } = setUp({ deleted: true, finalizers: [GATEWAY] });
    const first = claimIn('release', await claim());
    api.remove(WEB);
    expect(await write(first, releaseWrites(first))).toBeUndefined();
  });
});
