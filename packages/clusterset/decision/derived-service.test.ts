import type { EndpointSlice, Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { type ServiceImport, type ServiceImportSpec, serviceImports } from '../mcs/types.ts';
import type { Export } from '../merge/merge.ts';
import { derivedLabels, importLabels, sliceLabels } from '../records/marks.ts';
import { derivedServiceName } from '../records/names.ts';
import { testSettings } from '../testing/test-settings.ts';
import { decide } from './decide.ts';
import { derivedService, localShare } from './derived-service.ts';
import type { BrokerObservation, Observation } from './observation.ts';
import { describeWrite } from './write.ts';

const key = { namespace: 'shop', name: 'web' };
const derivedName = derivedServiceName('web');
const settings = { ...testSettings, derivedServices: true };
const http = { name: 'http', protocol: 'TCP', port: 80 } as const;
const spec: ServiceImportSpec = {
  type: 'ClusterSetIP',
  ports: [http],
  ipFamilies: ['IPv4'],
  sessionAffinity: 'None',
  internalTrafficPolicy: 'Cluster',
};
/** As the server has it after we made it. */
const own: Service = {
  metadata: { namespace: 'shop', name: derivedName, labels: derivedLabels('web'), resourceVersion: '1' },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.96.0.9',
    clusterIPs: ['10.96.0.9', 'fd00::9'],
    ipFamilyPolicy: 'PreferDualStack',
    ports: [{ ...http, targetPort: 80 }],
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
  },
};
const imported: ServiceImport = {
  metadata: { ...key, labels: importLabels, resourceVersion: '1' },
  spec,
  status: { clusters: [{ cluster: 'a' }] },
};
const addressed: ServiceImport = {
  ...imported,
  metadata: { ...imported.metadata, annotations: { 'clusterset.fairlead.dev/derived-ips': '10.96.0.9' } },
  spec: { ...spec, ips: ['10.96.0.9'] },
};
const behind = { 'kubernetes.io/service-name': derivedName };
const slice: EndpointSlice = {
  metadata: { namespace: 'shop', name: 'web.ipv4.a', labels: { ...sliceLabels('web', 'a'), ...behind } },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['198.51.100.7'] }],
  ports: [],
};
const record: Export = {
  cluster: 'a',
  since: '2026-11-15T12:00:00Z',
  type: 'ClusterSetIP',
  ports: [http],
  ipFamilies: ['IPv4'],
  sessionAffinity: 'None',
  internalTrafficPolicy: 'Cluster',
  labels: {},
  annotations: {},
};

type InStep = Extract<BrokerObservation, { state: 'in-step' }>;
const share = { suffix: 'ipv4', addressType: 'IPv4', endpoints: slice.endpoints ?? [], ports: [] } as const;
const exportedByA: InStep = {
  state: 'in-step',
  ownRecord: undefined,
  ownSlices: [],
  records: [{ kind: 'trusted', key, cluster: 'a', value: record }],
  slices: [{ kind: 'trusted', key, cluster: 'a', value: share }],
  aggregate: undefined,
  dropped: new Set(),
  missing: new Set(),
  left: new Set(),
};

/** All is as it should be, but for these changes. */
const observation = (changes: Partial<Observation> = {}): Observation => ({
  key,
  namespace: { metadata: { name: 'shop' } },
  serviceExport: undefined,
  service: undefined,
  podSlices: [],
  localImport: undefined,
  imported: addressed,
  importedSlices: [slice],
  derivedService: own,
  derivedSlices: [],
  broker: exportedByA,
  ...changes,
});
const planned = (changes: Partial<Observation> = {}, given = settings) => decide(observation(changes), given, 0).writes;
const texts = (...given: Parameters<typeof planned>) => planned(...given).map(describeWrite);
const wantedOf = (changed: Partial<ServiceImportSpec>, existing: Service | undefined = own) =>
  derivedService(observation({ derivedService: existing }), { ...spec, ...changed }, settings);
const specOf = (changed: Partial<ServiceImportSpec>, existing?: Service) =>
  wantedOf(changed, existing).writes.map(({ object }) => ('spec' in object ? object.spec : undefined));

describe('the Service that is derived from an import', () => {
  it('stays as it is when it is as it should be', () => {
    expect(planned()).toEqual([]);
  });

  it('is made after the import and what stands behind it, and its address then comes onto the import', () => {
    const bare = { ...slice, metadata: { ...slice.metadata, labels: sliceLabels('web', 'a') } };
    const fresh = { derivedService: undefined, imported, importedSlices: [bare] };
    expect(texts({ ...fresh, imported: undefined })).toEqual([
      'update EndpointSlice shop/web.ipv4.a',
      'create ServiceImport shop/web',
    ]);
    expect(texts(fresh)).toEqual(['update EndpointSlice shop/web.ipv4.a', `create Service shop/${derivedName}`]);
    expect(planned({ imported })).toMatchObject([{ verb: 'update', object: { spec: { ips: ['10.96.0.9'] } } }]);
  });

  it('asks for all families of the cluster, and shows the addresses of those that the import has', () => {
    expect(planned({ derivedService: undefined, imported })).toMatchObject([
      { object: { metadata: { labels: derivedLabels('web') }, spec: { ipFamilyPolicy: 'PreferDualStack' } } },
    ]);
    expect(wantedOf({}).ips).toEqual(['10.96.0.9']);
    expect(wantedOf({ ipFamilies: ['IPv6', 'IPv4'] }).ips).toEqual(['10.96.0.9', 'fd00::9']);
    const older = { ...settings, serviceImports: serviceImports('v1alpha1') };
    expect(derivedService(observation(), { ...spec, ipFamilies: ['IPv4', 'IPv6'] }, older).ips).toEqual(['10.96.0.9']);
  });

  it('has the ports, the session affinity and the traffic policy of the import, and keeps its address', () => {
    const dns = { name: 'dns', protocol: 'UDP', port: 53, appProtocol: 'dns' } as const;
    const sessionAffinityConfig = { clientIP: { timeoutSeconds: 60 } };
    const changed = { ports: [dns], sessionAffinity: 'ClientIP', internalTrafficPolicy: 'Local' } as const;
    expect(specOf({ ...changed, sessionAffinityConfig })).toEqual([
      { ...own.spec, ...changed, ports: [{ ...dns, targetPort: 53 }], sessionAffinityConfig },
    ]);
    expect(specOf({ sessionAffinity: 'ClientIP' })).toMatchObject([
      { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } },
    ]);
    const sticky: Service = { ...own, spec: { ...own.spec, sessionAffinity: 'ClientIP', sessionAffinityConfig } };
    expect(specOf({}, sticky)).toEqual([own.spec]);
  });

  it('loses a selector that was given to it', () => {
    expect(specOf({}, { ...own, spec: { ...own.spec, selector: { app: 'other' } } })).toEqual([own.spec]);
  });

  it('leaves out ports that no Service can have beside others, and says so', () => {
    const unnamed = wantedOf({ ports: [http, { port: 443 }, { name: 'again', port: 80 }] });
    expect(unnamed.writes).toEqual([]);
    expect(unnamed.conditions).toMatchObject([{ status: 'False', reason: 'UnnamedPorts' }]);
    expect(specOf({ ports: [{ port: 443 }] })).toMatchObject([{ ports: [{ protocol: 'TCP', port: 443 }] }]);
  });

  it('is not there while no port is served', () => {
    expect(wantedOf({ ports: [] }).writes.map(describeWrite)).toEqual([`delete Service shop/${derivedName}`]);
    expect(wantedOf({ ports: [] }).ips).toEqual([]);
  });
});

describe('a derived Service that is not to be', () => {
  const gone = [
    'update EndpointSlice shop/web.ipv4.a',
    'update ServiceImport shop/web',
    `delete Service shop/${derivedName}`,
  ];

  it('goes after its address was taken from the import', () => {
    const writes = planned({}, testSettings);
    expect(writes.map(describeWrite)).toEqual(gone);
    expect(writes[0]?.object.metadata.labels).toEqual(sliceLabels('web', 'a'));
    expect(writes[1]?.object).toMatchObject({ metadata: { annotations: {} }, spec });
    expect(writes[1]?.object).not.toHaveProperty('spec.ips');
    const headless = {
      ...exportedByA,
      records: [{ kind: 'trusted', key, cluster: 'a', value: { ...record, type: 'Headless' } } as const],
    };
    expect(texts({ broker: headless })).toEqual(gone);
  });

  it('goes without the broker where the setting was turned off', () => {
    const away = { broker: { state: 'unavailable', reason: 'cut off', isLasting: false } as const };
    expect(texts(away)).toEqual([]);
    expect(texts(away, testSettings)).toEqual(gone.slice(1));
  });

  it('goes with the import, and only once the server has none', () => {
    const writes = planned({ broker: { ...exportedByA, records: [], slices: [] } });
    expect(writes.map(describeWrite)).toEqual([
      'delete EndpointSlice shop/web.ipv4.a',
      'delete ServiceImport shop/web',
      `delete Service shop/${derivedName}`,
    ]);
    expect(writes[2]?.preconditions.map(({ is, at, resource }) => `${is} ${resource.kind} at ${at}`)).toEqual([
      'absent ServiceImport at broker',
      'there Lease at broker',
      'there Lease at broker',
      'absent ServiceImport at member',
    ]);
  });

  it('is left as it is while a cluster behind it is missing', () => {
    const both = { ...addressed, status: { clusters: [{ cluster: 'a' }, { cluster: 'b' }] } };
    const stale: Service = { ...own, spec: { ...own.spec, ports: [{ ...http, port: 81, targetPort: 81 }] } };
    const broker = { ...exportedByA, missing: new Set(['b']) };
    expect(texts({ imported: both, derivedService: stale, broker })).toEqual([]);
    expect(texts({ imported: both, derivedService: stale })).toContain(`update Service shop/${derivedName}`);
  });

  it('goes where the import is that of another controller', () => {
    const foreign = { ...imported, metadata: key };
    expect(texts({ imported: foreign })).toEqual([`delete Service shop/${derivedName}`]);
  });
});

describe('a Service of the same name that is not ours', () => {
  const theirs: Service = { ...own, metadata: { namespace: 'shop', name: derivedName } };

  it('is left alone, with nothing of ours behind it, and the import says so', () => {
    const taken = { derivedService: theirs, imported };
    const writes = planned(taken);
    expect(writes.map(describeWrite)).toEqual([
      'update EndpointSlice shop/web.ipv4.a',
      'update ServiceImport status shop/web',
    ]);
    expect(writes[0]?.object.metadata.labels).not.toHaveProperty(['kubernetes.io/service-name']);
    expect(writes[1]?.object).toMatchObject({
      status: { conditions: [{ type: 'fairlead.dev/DerivedService', status: 'False', reason: 'NameTaken' }] },
    });
    expect(texts(taken, testSettings)).toEqual(['update EndpointSlice shop/web.ipv4.a']);
  });

  it('is also one that is derived from another import', () => {
    const other = { ...theirs, metadata: { ...theirs.metadata, labels: derivedLabels('other') } };
    expect(derivedService(observation({ derivedService: other }), spec, settings).writes).toEqual([]);
  });
});

describe('the share of this cluster', () => {
  const service: Service = {
    metadata: key,
    spec: { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'], ports: [http] },
  };
  const podSlices: readonly EndpointSlice[] = [
    {
      metadata: { namespace: 'shop', name: 'web-x' },
      addressType: 'IPv4',
      endpoints: [
        {
          addresses: ['10.9.0.1'],
          conditions: { ready: false },
          nodeName: 'node-1',
          zone: 'east',
          targetRef: { kind: 'Pod', name: 'web-1' },
        },
      ],
      ports: [{ name: 'http', port: 8080 }],
    },
  ];

  it('is its pods with their nodes, not its own Service address', () => {
    expect(localShare(observation({ service, podSlices }), settings)).toMatchObject([
      {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.9.0.1'], conditions: { ready: false }, nodeName: 'node-1', zone: 'east' }],
        ports: [{ name: 'http', port: 8080 }],
      },
    ]);
  });

  it('is nothing for a headless Service, without the setting, or behind a Service that is not ours', () => {
    const headless = { ...service, spec: { ...service.spec, clusterIP: 'None' } };
    expect(localShare(observation({ service: headless, podSlices }), settings)).toEqual([]);
    expect(localShare(observation({ service, podSlices }), testSettings)).toEqual([]);
    const theirs = { ...own, metadata: { namespace: 'shop', name: derivedName } };
    expect(localShare(observation({ service, podSlices, derivedService: theirs }), settings)).toEqual([]);
  });

  it('changes for the clusters that are left only when the one that went is known to be gone', () => {
    const value = { ...record, cluster: 'b', ports: [{ name: 'other', protocol: 'TCP', port: 81 }] } as const;
    const onlyB: InStep = { ...exportedByA, records: [{ kind: 'trusted', key, cluster: 'b', value }], slices: [] };
    const changed = planned({ broker: onlyB }).filter(({ resource }) => resource.kind === 'Service');
    expect(changed.map(describeWrite)).toEqual([`update Service shop/${derivedName}`]);
    expect(changed[0]?.preconditions.map(({ is, key: at }) => `${is} ${at.namespace}/${at.name}`)).toEqual([
      'absent broker-m-a/web.shop',
      'there broker/own',
      'there broker/a',
    ]);
  });

  it('goes after its import also while the broker is away: it may never come back', () => {
    const broker = { state: 'unavailable', reason: 'This cluster has left.', isLasting: true } as const;
    const derivedSlices = [{ ...slice, metadata: { ...slice.metadata, name: `${derivedName}.s1` } }];
    const left = { broker, imported: undefined, importedSlices: [], derivedSlices };
    expect(texts(left)).toEqual([`delete EndpointSlice shop/${derivedName}.s1`, `delete Service shop/${derivedName}`]);
    for (const { preconditions } of planned(left)) {
      expect(preconditions).toMatchObject([{ is: 'absent', at: 'member', key }]);
    }
    expect(texts({ broker }).filter((text) => text.startsWith('delete'))).toEqual([]);
  });

  it('goes when the setting is turned off while the broker is away, also before the import lists this cluster', () => {
    const broker = { state: 'unavailable', reason: 'This cluster has left.', isLasting: true } as const;
    const pods = { ...slice, metadata: { namespace: 'shop', name: 'web-1' } };
    const service: Service = {
      metadata: key,
      spec: { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'], ports: [http] },
    };
    const derivedSlices = [{ ...slice, metadata: { ...slice.metadata, name: `${derivedName}.s1` } }];
    const exported = { broker, serviceExport: { metadata: key }, service, podSlices: [pods], derivedSlices };
    const deleted = (...given: Parameters<typeof planned>) =>
      texts(...given).filter((text) => text.startsWith('delete'));
    expect(deleted(exported)).toEqual([]);
    expect(deleted(exported, testSettings)).toEqual([
      `delete EndpointSlice shop/${derivedName}.s1`,
      `delete Service shop/${derivedName}`,
    ]);
    expect(deleted({ ...exported, imported: undefined })).toEqual([
      `delete EndpointSlice shop/${derivedName}.s1`,
      `delete Service shop/${derivedName}`,
    ]);
  });
});
