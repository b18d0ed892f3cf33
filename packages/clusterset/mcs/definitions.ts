import type { CustomResourceDefinition, PrinterColumn } from '@fairlead/kube';
import { MCS_GROUP, MCS_VERSIONS } from './types.ts';

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'object', additionalProperties: text };

const conditions: Schema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
    properties: {
      lastTransitionTime: { type: 'string', format: 'date-time' },
      message: { type: 'string', maxLength: 32768 },
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
      reason: {
        type: 'string',
        minLength: 1,
        maxLength: 1024,
        pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      type: { type: 'string', maxLength: 316 },
    },
  },
};

const exportSchema: Schema = {
  type: 'object',
  properties: {
    apiVersion: text,
    kind: text,
    metadata: { type: 'object' },
    spec: { type: 'object', properties: { exportedLabels: texts, exportedAnnotations: texts } },
    status: { type: 'object', properties: { conditions } },
  },
};

const importSpec: Schema = {
  type: 'object',
  required: ['ports', 'type'],
  properties: {
    type: { type: 'string', enum: ['ClusterSetIP', 'Headless'] },
    ports: {
      type: 'array',
      nullable: true,
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'object',
        required: ['port'],
        properties: {
          name: text,
          protocol: { type: 'string', default: 'TCP' },
          appProtocol: text,
          port: { type: 'integer', format: 'int32' },
        },
      },
    },
    ips: { type: 'array', maxItems: 2, items: text },
    ipFamilies: { type: 'array', maxItems: 2, items: text },
    sessionAffinity: text,
    sessionAffinityConfig: {
      type: 'object',
      properties: {
        clientIP: { type: 'object', properties: { timeoutSeconds: { type: 'integer', format: 'int32' } } },
      },
    },
    internalTrafficPolicy: text,
    trafficDistribution: text,
  },
};

const importSchema: Schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    apiVersion: text,
    kind: text,
    metadata: { type: 'object' },
    spec: importSpec,
    status: {
      type: 'object',
      properties: {
        clusters: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['cluster'],
          items: { type: 'object', required: ['cluster'], properties: { cluster: text } },
        },
        conditions,
      },
    },
  },
};

const age: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const exportColumns: readonly PrinterColumn[] = [
  { name: 'Valid', type: 'string', jsonPath: ".status.conditions[?(@.type=='Valid')].status" },
  { name: 'Conflict', type: 'string', jsonPath: ".status.conditions[?(@.type=='Conflict')].status" },
  { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
  age,
];
const importColumns: readonly PrinterColumn[] = [
  { name: 'Type', type: 'string', jsonPath: '.spec.type' },
  { name: 'IP', type: 'string', jsonPath: '.spec.ips' },
  { name: 'Clusters', type: 'string', jsonPath: '.status.clusters[*].cluster' },
  age,
];

const define = (
  kind: 'ServiceExport' | 'ServiceImport',
  shortName: string,
  schema: Schema,
  columns: readonly PrinterColumn[],
): CustomResourceDefinition => {
  const singular = kind.toLowerCase();
  return {
    metadata: { name: `${singular}s.${MCS_GROUP}` },
    spec: {
      group: MCS_GROUP,
      scope: 'Namespaced',
      names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List`, shortNames: [shortName] },
      versions: MCS_VERSIONS.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: schema },
        subresources: { status: {} },
        additionalPrinterColumns: columns,
      })),
    },
  };
};

/** The Multi-Cluster Services API, for clusters that have it from no other side. */
export const mcsDefinitions: readonly CustomResourceDefinition[] = [
  define('ServiceExport', 'svcex', exportSchema, exportColumns),
  define('ServiceImport', 'svcim', importSchema, importColumns),
];
