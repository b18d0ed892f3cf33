import { requireIpAddress } from '@fairlead/control';
import type { Condition, LoadBalancerIngress, Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { claimService } from '../claim/class-claim.ts';
import {
  type DesiredServiceStatus,
  heldStatusPatch,
  notProgrammed,
  PROGRAMMED_CONDITION,
  releaseStatusPatch,
  statusPatch,
} from './service-status.ts';
import { claimIn } from '../testing/claims.ts';

const rules = {
  loadBalancerClass: 'fairlead.dev/gateway',
  finalizer: 'fairlead.dev/gateway',
  isDefault: false,
} as const;
const clock = { now: () => Date.parse('2026-05-01T12:00:00.250Z') };
const programmed = { status: 'True', reason: 'Programmed', message: 'serves 192.0.2.10' } as const;
const desired: DesiredServiceStatus = {
  ingress: [{ address: requireIpAddress('192.0.2.10'), mode: 'VIP' }],
  programmed,
};
const written: Condition = {
  type: PROGRAMMED_CONDITION,
  lastTransitionTime: '2026-04-01T00:00:00Z',
  ...programmed,
};
const foreignCondition: Condition = { ...written, type: 'example.com/Scanned' };

interface Shape {
  readonly spec?: Service['spec'];
  readonly finalizers?: readonly string[];
  readonly deleted?: boolean;
  readonly ingress?: readonly LoadBalancerIngress[];
  readonly conditions?: readonly Condition[];
}

function serviceOf(shape: Shape): Service {
  return {
    metadata: {
      name: 'web',
      namespace: 'shop',
      resourceVersion: '7',
      finalizers: shape.finalizers ?? ['fairlead.dev/gateway'],
      ...(shape.deleted ? { deletionTimestamp: '2026-05-01T11:00:00Z' } : {}),
    },
    spec: shape.spec ?? { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/gateway' },
    status: {
      loadBalancer: shape.ingress === undefined ? {} : { ingress: shape.ingress },
      ...(shape.conditions === undefined ? {} : { conditions: shape.conditions }),
    },
  };
}

const claimed = (shape: Shape) => claimIn('claimed', claimService(serviceOf(shape), rules));
const released = (shape: Shape) => claimIn('release', claimService(serviceOf(shape), rules));

describe('statusPatch', () => {
  it('writes addresses and the condition, and only for the version that was claimed', () => {
    expect(statusPatch(claimed({}), desired, clock)).toEqual({
      status: {
        loadBalancer: { ingress: [{ ip: '192.0.2.10', ipMode: 'VIP' }] },
        conditions: [{ type: PROGRAMMED_CONDITION, ...programmed, lastTransitionTime: '2026-05-01T12:00:00Z' }],
      },
    });
  });

  it('writes nothing when everything is there', () => {
    const ingress = [{ ip: '192.0.2.10', ipMode: 'VIP' }] as const;
    expect(statusPatch(claimed({ ingress, conditions: [foreignCondition, written] }), desired, clock)).toBeUndefined();
  });

  it('writes nothing when the server is too old to keep the mode', () => {
    const ingress = [{ ip: '192.0.2.10' }];
    expect(statusPatch(claimed({ ingress, conditions: [written] }), desired, clock)).toBeUndefined();
  });

  it('writes only the addresses when only they differ', () => {
    const claim = claimed({ ingress: [{ ip: '192.0.2.99', ipMode: 'VIP' }], conditions: [written] });
    expect(statusPatch(claim, desired, clock)?.status).toEqual({
      loadBalancer: { ingress: [{ ip: '192.0.2.10', ipMode: 'VIP' }] },
    });
  });

  it('notices a changed mode, a changed order and a changed error of a port', () => {
    const web = { port: 80, protocol: 'TCP' } as const;
    const ingress: readonly LoadBalancerIngress[] = [
      { ip: '192.0.2.10', ipMode: 'VIP', ports: [web] },
      { hostname: 'web.example.com' },
    ];
    const claim = claimed({ ingress, conditions: [written] });
    const address = { address: requireIpAddress('192.0.2.10'), mode: 'VIP', ports: [web] } as const;
    const hostname = { hostname: 'web.example.com' };
    const patched = (points: DesiredServiceStatus['ingress']) =>
      statusPatch(claim, { ingress: points, programmed }, clock) !== undefined;
    expect(patched([address, hostname])).toBe(false);
    expect(patched([hostname, address])).toBe(true);
    expect(patched([{ ...address, mode: 'Proxy' }, hostname])).toBe(true);
    expect(patched([{ ...address, ports: [{ ...web, error: 'fairlead.dev/PortTaken' }] }, hostname])).toBe(true);
    expect(patched([{ ...address, ports: [] }, hostname])).toBe(true);
  });

  it('keeps the conditions of others, and the time of a state that lasts', () => {
    const claim = claimed({ conditions: [foreignCondition, written] });
    const message = 'serves 192.0.2.10 and 2001:db8::10';
    const patch = statusPatch(claim, { ingress: [], programmed: { ...programmed, message } }, clock);
    expect(patch).toEqual({
      status: { conditions: [foreignCondition, { ...written, message }] },
    });
  });

  it('sets the time when the state changes', () => {
    const refused = { status: 'False', reason: 'LoadBalancerRefused', message: 'it asks for SCTP' } as const;
    const patch = statusPatch(claimed({ conditions: [written] }), { ingress: [], programmed: refused }, clock);
    expect(patch?.status?.conditions).toEqual([
      { type: PROGRAMMED_CONDITION, ...refused, lastTransitionTime: '2026-05-01T12:00:00Z' },
    ]);
  });

  it('takes the addresses away when there are none to show', () => {
    const claim = claimed({ ingress: [{ ip: '192.0.2.10', ipMode: 'VIP' }], conditions: [written] });
    expect(statusPatch(claim, { ingress: [], programmed }, clock)?.status).toEqual({ loadBalancer: { ingress: null } });
  });

  it('puts no address on a Service of a type that has no place for it', () => {
    const spec = { type: 'NodePort' } as const;
    const service = serviceOf({ spec });
    const labelled = { ...service, metadata: { ...service.metadata, labels: { exposed: 'yes' } } };
    const claim = claimIn('claimed', claimService(labelled, { ...rules, otherTypesByLabel: { exposed: 'yes' } }));
    expect(Object.keys(statusPatch(claim, desired, clock)?.status ?? {})).toEqual(['conditions']);
  });
});

describe('releaseStatusPatch', () => {
  const ingress = [{ ip: '192.0.2.10', ipMode: 'VIP' }] as const;
  const conditions = [foreignCondition, written];
  const elsewhere = { type: 'LoadBalancer', loadBalancerClass: 'example.com/other' } as const;

  it('takes back the addresses and the condition, and leaves the conditions of others', () => {
    expect(releaseStatusPatch(released({ deleted: true, ingress, conditions }))).toEqual({
      status: { loadBalancer: { ingress: null }, conditions: [foreignCondition] },
    });
  });

  it('writes nothing when nothing of ours is left', () => {
    expect(releaseStatusPatch(released({ deleted: true, conditions: [foreignCondition] }))).toBeUndefined();
    expect(releaseStatusPatch(released({ spec: { type: 'ClusterIP' } }))).toBeUndefined();
  });

  it('leaves the addresses to the load balancer that serves the Service now', () => {
    expect(releaseStatusPatch(released({ spec: elsewhere, ingress, conditions }))).toEqual({
      status: { conditions: [foreignCondition] },
    });
  });

  it('leaves the condition, too, when another part serves the Service now', () => {
    const finalizers = ['fairlead.dev/gateway', 'fairlead.dev/octavia'];
    const spec = { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/octavia' } as const;
    expect(releaseStatusPatch(released({ spec, finalizers, ingress, conditions }))).toBeUndefined();
    const shape = { spec: { type: 'LoadBalancer' }, finalizers: finalizers.toReversed(), ingress, conditions } as const;
    expect(releaseStatusPatch(released(shape))).toBeUndefined();
  });
});

describe('heldStatusPatch', () => {
  const ingress = [{ ip: '192.0.2.10', ipMode: 'VIP' }] as const;
  const conditions = [foreignCondition, written];
  const why = notProgrammed('in-error', 'It is held.');
  const said = { ...written, ...why, lastTransitionTime: '2026-05-01T12:00:00Z' };

  it('says why the Service is held, once, and leaves its addresses and the conditions of others', () => {
    expect(heldStatusPatch(released({ deleted: true, ingress, conditions }), why, clock)).toEqual({
      status: { conditions: [foreignCondition, said] },
    });
    const told = { deleted: true, ingress, conditions: [foreignCondition, said] };
    expect(heldStatusPatch(released(told), why, clock)).toBeUndefined();
  });

  it('says nothing in the place of another part', () => {
    const finalizers = ['fairlead.dev/gateway', 'fairlead.dev/octavia'];
    const spec = { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/octavia' } as const;
    expect(heldStatusPatch(released({ spec, finalizers, ingress, conditions }), why, clock)).toBeUndefined();
  });
});
