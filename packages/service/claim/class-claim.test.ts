import type { Service, ServiceType } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { type ClaimRules, claimService } from './class-claim.ts';

const gateway: ClaimRules = {
  loadBalancerClass: 'fairlead.dev/gateway',
  finalizer: 'fairlead.dev/gateway',
  isDefault: false,
};
const octavia: ClaimRules = {
  ...gateway,
  loadBalancerClass: 'fairlead.dev/octavia',
  finalizer: 'fairlead.dev/octavia',
};
const cloudProvider = 'service.kubernetes.io/load-balancer-cleanup';
const labels = { exposed: 'yes' };

interface Shape {
  readonly type?: ServiceType | undefined;
  readonly loadBalancerClass?: string | undefined;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly deleted?: boolean;
}

function serviceOf(shape: Shape): Service {
  const { type, loadBalancerClass } = shape;
  return {
    metadata: {
      name: 'web',
      namespace: 'shop',
      finalizers: shape.finalizers ?? [],
      labels: shape.labels ?? {},
      ...(shape.deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      ...(type === undefined ? {} : { type }),
      ...(loadBalancerClass === undefined ? {} : { loadBalancerClass }),
    },
  };
}

const types = [undefined, 'ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'] as const;
const classes = [undefined, 'fairlead.dev/gateway', 'fairlead.dev/octavia', 'example.com/other'] as const;
const finalizerLists = [
  [],
  ['fairlead.dev/gateway'],
  ['fairlead.dev/octavia'],
  ['fairlead.dev/gateway', 'fairlead.dev/octavia'],
  ['fairlead.dev/octavia', 'fairlead.dev/gateway'],
  [cloudProvider],
  [cloudProvider, 'fairlead.dev/gateway'],
  ['example.com/backup'],
] as const;
const selectors = [undefined, {}, labels, { exposed: 'yes', zone: 'a' }] as const;

const shapes: readonly Shape[] = types.flatMap((type) =>
  classes
    // The API refuses a class on other types.
    .filter((loadBalancerClass) => type === 'LoadBalancer' || loadBalancerClass === undefined)
    .flatMap((loadBalancerClass) =>
      finalizerLists.flatMap((finalizers) =>
        [{}, labels].flatMap((labels) =>
          [false, true].map((deleted) => ({ type, loadBalancerClass, finalizers, labels, deleted })),
        ),
      ),
    ),
);
const rulesOf = (part: ClaimRules): readonly ClaimRules[] =>
  [false, true].flatMap((isDefault) =>
    selectors.map((selector) => ({
      ...part,
      isDefault,
      ...(selector === undefined ? {} : { otherTypesByLabel: selector }),
    })),
  );
const everyCase = shapes.flatMap((shape) =>
  rulesOf(gateway).map((rules) => {
    const service = serviceOf(shape);
    return { shape, rules, service, claim: claimService(service, rules) };
  }),
);
const served = everyCase.filter(({ claim }) => claim.state === 'claimed');

describe('claimService', () => {
  const held = ['fairlead.dev/gateway'];
  const balanced: Shape = { type: 'LoadBalancer' };
  const chosen: Shape = { ...balanced, loadBalancerClass: 'fairlead.dev/gateway' };
  const elsewhere: Shape = { ...balanced, loadBalancerClass: 'example.com/other' };
  const asDefault = { isDefault: true };
  const selecting = { otherTypesByLabel: labels };
  const KURYR = 'kuryr.openstack.org/service-finalizer';
  const knowing = { predecessors: [KURYR, cloudProvider] };
  const inheriting = { ...knowing, takesOver: true };

  it.each<[string, Shape, Partial<ClaimRules>, string, string]>([
    ['a new Service of our class', chosen, {}, 'claimed', 'class'],
    ['a held Service of our class', { ...chosen, finalizers: held }, {}, 'claimed', 'class'],
    ['a new Service without a class', balanced, {}, 'foreign', 'no-class'],
    ['a new Service without a class, as the default', balanced, asDefault, 'claimed', 'default'],
    [
      'a held Service without a class, as the default',
      { ...balanced, finalizers: held },
      asDefault,
      'claimed',
      'default',
    ],
    ['a held Service after the default moved on', { ...balanced, finalizers: held }, {}, 'claimed', 'finalizer'],
    ['a new Service of another class', elsewhere, {}, 'foreign', 'other-class'],
    ['a new Service of another class, as the default', elsewhere, asDefault, 'foreign', 'other-class'],
    ['a held Service of another class', { ...elsewhere, finalizers: held }, asDefault, 'release', 'class-changed'],
    ['a deleted Service of our class', { ...chosen, deleted: true }, {}, 'foreign', 'being-deleted'],
    ['a deleted, held Service', { ...chosen, finalizers: held, deleted: true }, {}, 'release', 'being-deleted'],
    ['a Service without a type', {}, asDefault, 'foreign', 'other-type'],
    ['a ClusterIP Service', { type: 'ClusterIP' }, asDefault, 'foreign', 'other-type'],
    ['a held Service that became ClusterIP', { type: 'ClusterIP', finalizers: held }, {}, 'release', 'type-changed'],
    ['a ClusterIP Service that labels select', { type: 'ClusterIP', labels }, selecting, 'claimed', 'selected'],
    ['a NodePort Service that labels select', { type: 'NodePort', labels }, selecting, 'claimed', 'selected'],
    ['a NodePort Service without the label', { type: 'NodePort' }, selecting, 'foreign', 'not-selected'],
    [
      'a held one that lost its label',
      { type: 'NodePort', finalizers: held },
      selecting,
      'release',
      'no-longer-selected',
    ],
    ['an ExternalName Service with the label', { type: 'ExternalName', labels }, selecting, 'foreign', 'other-type'],
    [
      'a labelled Service under an empty selector',
      { type: 'NodePort', labels },
      { otherTypesByLabel: {} },
      'foreign',
      'other-type',
    ],
    ['a labelled LoadBalancer of another class', { ...elsewhere, labels }, selecting, 'foreign', 'other-class'],
    ['a labelled LoadBalancer without a class', { ...balanced, labels }, selecting, 'foreign', 'no-class'],
    [
      'a Service that the former default holds',
      { ...balanced, finalizers: ['fairlead.dev/octavia'] },
      asDefault,
      'foreign',
      'owned-by-other-part',
    ],
    [
      'a Service of our class that another part has yet to release',
      { ...chosen, finalizers: ['fairlead.dev/octavia'] },
      {},
      'claimed',
      'class',
    ],
    [
      'a Service on which another part was quicker',
      { ...balanced, finalizers: ['fairlead.dev/octavia', 'fairlead.dev/gateway'] },
      asDefault,
      'release',
      'owned-by-other-part',
    ],
    ['a Service of a predecessor', { ...balanced, finalizers: [KURYR] }, inheriting, 'claimed', 'adopted'],
    [
      'a ClusterIP Service of a predecessor',
      { type: 'ClusterIP', finalizers: [KURYR] },
      { ...inheriting, ...selecting },
      'claimed',
      'adopted',
    ],
    [
      'one of a predecessor where no ClusterIP Services are served',
      { type: 'ClusterIP', finalizers: [KURYR] },
      inheriting,
      'foreign',
      'other-type',
    ],
    [
      'one of a predecessor that is being deleted where no ClusterIP Services are served',
      { type: 'ClusterIP', finalizers: [KURYR], deleted: true },
      inheriting,
      'foreign',
      'being-deleted',
    ],
    [
      'one of a predecessor that is not asked for',
      { ...balanced, finalizers: [KURYR] },
      knowing,
      'foreign',
      'no-class',
    ],
    [
      'one that was taken over, when no others are any more',
      { type: 'ClusterIP', finalizers: [KURYR, ...held] },
      knowing,
      'claimed',
      'adopted',
    ],
    [
      'a Service of a cloud controller manager',
      { ...balanced, finalizers: [cloudProvider] },
      inheriting,
      'claimed',
      'adopted',
    ],
    [
      'one that a cloud controller manager is about to let go',
      { type: 'ClusterIP', finalizers: [cloudProvider] },
      inheriting,
      'foreign',
      'other-type',
    ],
    [
      'one of a predecessor that names another class',
      { ...elsewhere, finalizers: [KURYR] },
      inheriting,
      'foreign',
      'other-class',
    ],
    [
      'a deleted one of a predecessor',
      { ...balanced, finalizers: [KURYR], deleted: true },
      inheriting,
      'release',
      'being-deleted',
    ],
    [
      'a deleted one of a predecessor that is not asked for',
      { ...balanced, finalizers: [KURYR], deleted: true },
      knowing,
      'foreign',
      'being-deleted',
    ],
    [
      'a deleted one of a predecessor that names another class',
      { ...elsewhere, finalizers: [KURYR], deleted: true },
      inheriting,
      'foreign',
      'being-deleted',
    ],
    [
      'a deleted one of a predecessor that another part holds',
      { ...balanced, finalizers: [KURYR, 'fairlead.dev/octavia'], deleted: true },
      inheriting,
      'foreign',
      'being-deleted',
    ],
    [
      'a Service without a class that a cloud controller manager serves',
      { ...balanced, finalizers: [cloudProvider] },
      asDefault,
      'foreign',
      'owned-by-cloud-provider',
    ],
    [
      'a Service of our class with a leftover of a cloud controller manager',
      { ...chosen, finalizers: [cloudProvider] },
      {},
      'claimed',
      'class',
    ],
  ])('%s', (_name, shape, rules, state, reason) => {
    expect(claimService(serviceOf(shape), { ...gateway, ...rules })).toMatchObject({ state, reason });
  });

  it('reaches every reason in some combination', () => {
    expect(new Set(everyCase.map(({ claim }) => `${claim.state}: ${claim.reason}`))).toEqual(
      new Set([
        'claimed: class',
        'claimed: default',
        'claimed: selected',
        'claimed: finalizer',
        'release: being-deleted',
        'release: class-changed',
        'release: type-changed',
        'release: no-longer-selected',
        'release: owned-by-other-part',
        'foreign: being-deleted',
        'foreign: other-class',
        'foreign: no-class',
        'foreign: other-type',
        'foreign: not-selected',
        'foreign: owned-by-other-part',
        'foreign: owned-by-cloud-provider',
      ]),
    );
  });

  it('releases what it holds and does not serve, and nothing else', () => {
    const wrong = everyCase.filter(({ shape, claim }) => {
      const isHeld = shape.finalizers?.includes('fairlead.dev/gateway') ?? false;
      return (claim.state === 'release') !== (isHeld && claim.state !== 'claimed');
    });
    expect(wrong).toEqual([]);
  });

  it('never serves a Service that is being deleted or of another class', () => {
    const wrong = served.filter(
      ({ shape }) => shape.deleted || (shape.loadBalancerClass ?? 'fairlead.dev/gateway') !== 'fairlead.dev/gateway',
    );
    expect(wrong).toEqual([]);
  });

  it('never lets two parts serve the same Service when at most one of them is the default', () => {
    const wrong = served.flatMap(({ shape, rules }) =>
      rulesOf(octavia)
        .filter((other) => !(other.isDefault && rules.isDefault))
        // Two parts that select the same labels are told apart by the finalizer, which the first one adds.
        .filter((other) => other.otherTypesByLabel === undefined || shape.type === 'LoadBalancer')
        .filter((other) => claimService(serviceOf(shape), other).state === 'claimed')
        .map((other) => ({ shape, rules, other })),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps what it serves, once its finalizer is there, whatever becomes of the default', () => {
    const wrong = served.filter(({ shape, rules }) => {
      const held = serviceOf({ ...shape, finalizers: [...(shape.finalizers ?? []), rules.finalizer] });
      return [false, true].some((isDefault) => claimService(held, { ...rules, isDefault }).state !== 'claimed');
    });
    expect(wrong).toEqual([]);
  });

  it('keeps every other part away from what it holds without a class', () => {
    const holding = served.filter(({ claim }) => claim.reason !== 'class');
    const wrong = holding.filter(({ shape, rules }) => {
      const held = serviceOf({ ...shape, finalizers: [rules.finalizer, ...(shape.finalizers ?? [])] });
      return rulesOf(octavia).some((other) => claimService(held, other).state === 'claimed');
    });
    expect(wrong).toEqual([]);
  });

  it('says in words why, and about which Service', () => {
    expect(everyCase.filter(({ claim }) => !/^its? .{10,}[^.]$/.test(claim.sentence))).toEqual([]);
    expect(everyCase.filter(({ claim, service }) => claim.service !== service)).toEqual([]);
  });
});
