import { randomInteger, randomUuid, seededRandom, type Random } from '@fairlead/control';

/**
 * The objects that both sides of the bench receive: Services as a person applied them and the EndpointSlices that
 * the control plane made of them, with the managed fields a real API server sends along.
 */
export const SERVICES_PATH = '/api/v1/services';
export const ENDPOINT_SLICES_PATH = '/apis/discovery.k8s.io/v1/endpointslices';

/** The class of all Services, so that a part has to keep what it needs of each. */
export const BENCH_CLASS = 'fairlead.dev/gateway';

/** Spread as in a cluster of some size, so that strings repeat neither more nor less than there. */
const SERVICES_PER_NAMESPACE = 25;
const NODES = 500;
const ZONES = ['westeurope-1', 'westeurope-2', 'westeurope-3'];
const CREATED = Date.UTC(2026, 0, 1);

interface Identity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly created: string;
}

/** `count` Services, and as many EndpointSlices of `endpointsPerSlice` endpoints, the same at every call. */
export function* benchObjects(count: number, endpointsPerSlice: number) {
  const random = seededRandom(20_000);
  for (let index = 0; index < count; index += 1) {
    const identity: Identity = {
      name: `checkout-${index}`,
      namespace: `storefront-${Math.floor(index / SERVICES_PER_NAMESPACE)}`,
      uid: randomUuid(random),
      created: timestamp(random),
    };
    yield {
      service: service(identity, index, random),
      endpointSlice: endpointSlice(identity, index, endpointsPerSlice, random),
    };
  }
}

function timestamp(random: Random): string {
  return `${new Date(CREATED + randomInteger(random, 0, 300 * 86_400) * 1000).toISOString().slice(0, 19)}Z`;
}

function labels(identity: Identity) {
  return {
    'app.kubernetes.io/instance': identity.name,
    'app.kubernetes.io/name': 'checkout',
  };
}

const LABEL_FIELDS = {
  '.': {},
  'f:app.kubernetes.io/instance': {},
  'f:app.kubernetes.io/name': {},
};

const PORT_FIELDS = { '.': {}, 'f:name': {}, 'f:port': {}, 'f:protocol': {}, 'f:targetPort': {} };

function service(identity: Identity, index: number, random: Random) {
  const clusterAddress = `10.96.${index >> 8}.${index & 255}`;
  const externalAddress = `20.61.${index >> 8}.${index & 255}`;
  return {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: {
      name: identity.name,
      namespace: identity.namespace,
      uid: identity.uid,
      resourceVersion: String(100_000 + 2 * index),
      creationTimestamp: identity.created,
      labels: labels(identity),
      annotations: {
        'meta.helm.sh/release-name': identity.name,
        'meta.helm.sh/release-namespace': identity.namespace,
      },
      finalizers: ['service.kubernetes.io/load-balancer-cleanup'],
      managedFields: [
        {
          manager: 'helm',
          operation: 'Update',
          apiVersion: 'v1',
          time: identity.created,
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': {
              'f:annotations': { '.': {}, 'f:meta.helm.sh/release-name': {}, 'f:meta.helm.sh/release-namespace': {} },
              'f:labels': LABEL_FIELDS,
            },
            'f:spec': {
              'f:allocateLoadBalancerNodePorts': {},
              'f:externalTrafficPolicy': {},
              'f:internalTrafficPolicy': {},
              'f:ports': {
                '.': {},
                'k:{"port":80,"protocol":"TCP"}': PORT_FIELDS,
                'k:{"port":443,"protocol":"TCP"}': PORT_FIELDS,
              },
              'f:selector': {},
              'f:sessionAffinity': {},
              'f:type': {},
            },
          },
        },
        {
          manager: 'cloud-controller-manager',
          operation: 'Update',
          apiVersion: 'v1',
          time: timestamp(random),
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:finalizers': { '.': {}, 'v:"service.kubernetes.io/load-balancer-cleanup"': {} } },
            'f:status': { 'f:loadBalancer': { 'f:ingress': {} } },
          },
          subresource: 'status',
        },
      ],
    },
    spec: {
      ports: [
        { name: 'http', protocol: 'TCP', port: 80, targetPort: 8080, nodePort: randomInteger(random, 30_000, 32_767) },
        {
          name: 'https',
          protocol: 'TCP',
          port: 443,
          targetPort: 8443,
          nodePort: randomInteger(random, 30_000, 32_767),
        },
      ],
      selector: { 'app.kubernetes.io/instance': identity.name, 'app.kubernetes.io/name': 'checkout' },
      clusterIP: clusterAddress,
      clusterIPs: [clusterAddress],
      type: 'LoadBalancer',
      loadBalancerClass: BENCH_CLASS,
      sessionAffinity: 'None',
      externalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      allocateLoadBalancerNodePorts: true,
      internalTrafficPolicy: 'Cluster',
    },
    status: { loadBalancer: { ingress: [{ ip: externalAddress, ipMode: 'VIP' }] } },
  };
}

const POD_NAME_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

function podSuffix(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += POD_NAME_LETTERS.charAt(randomInteger(random, 0, POD_NAME_LETTERS.length - 1));
  return text;
}

function endpointSlice(identity: Identity, index: number, endpointCount: number, random: Random) {
  const replicaSet = `${identity.name}-${podSuffix(random, 10)}`;
  return {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: {
      name: `${identity.name}-${podSuffix(random, 5)}`,
      generateName: `${identity.name}-`,
      namespace: identity.namespace,
      uid: randomUuid(random),
      resourceVersion: String(100_001 + 2 * index),
      generation: randomInteger(random, 1, 40),
      creationTimestamp: identity.created,
      labels: {
        ...labels(identity),
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        'kubernetes.io/service-name': identity.name,
      },
      annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': timestamp(random) },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Service',
          name: identity.name,
          uid: identity.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'discovery.k8s.io/v1',
          time: timestamp(random),
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:addressType': {},
            'f:endpoints': {},
            'f:metadata': {
              'f:annotations': { '.': {}, 'f:endpoints.kubernetes.io/last-change-trigger-time': {} },
              'f:generateName': {},
              'f:labels': {
                ...LABEL_FIELDS,
                'f:endpointslice.kubernetes.io/managed-by': {},
                'f:kubernetes.io/service-name': {},
              },
              'f:ownerReferences': { '.': {}, [`k:{"uid":"${identity.uid}"}`]: {} },
            },
            'f:ports': {},
          },
        },
      ],
    },
    addressType: 'IPv4',
    endpoints: Array.from({ length: endpointCount }, () => endpoint(identity.namespace, replicaSet, random)),
    ports: [
      { name: 'http', protocol: 'TCP', port: 8080 },
      { name: 'https', protocol: 'TCP', port: 8443 },
    ],
  };
}

function endpoint(namespace: string, replicaSet: string, random: Random) {
  const node = randomInteger(random, 0, NODES - 1);
  return {
    addresses: [`10.${randomInteger(random, 128, 255)}.${node & 255}.${randomInteger(random, 1, 254)}`],
    conditions: { ready: true, serving: true, terminating: false },
    targetRef: { kind: 'Pod', namespace, name: `${replicaSet}-${podSuffix(random, 5)}`, uid: randomUuid(random) },
    nodeName: `aks-workers-vmss${node.toString(36).padStart(6, '0')}`,
    zone: ZONES[node % ZONES.length],
  };
}
