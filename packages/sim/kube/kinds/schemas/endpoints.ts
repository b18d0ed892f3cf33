import {
  always,
  atomicStruct,
  bool,
  int32,
  list,
  listSet,
  map,
  optional,
  struct,
  text,
  withDefault,
} from '../../schema/schema.ts';
import { objectMeta, objectReference } from './meta.ts';

const endpointAddress = atomicStruct('EndpointAddress', {
  ip: always(text),
  hostname: text,
  nodeName: optional(text),
  targetRef: objectReference,
});

const endpointPort = atomicStruct('EndpointPort', {
  name: text,
  port: always(int32),
  protocol: withDefault(text, 'TCP'),
  appProtocol: optional(text),
});

const endpointSubset = struct('EndpointSubset', {
  addresses: list(endpointAddress),
  notReadyAddresses: list(endpointAddress),
  ports: list(endpointPort),
});

export const endpoints = struct('Endpoints', {
  metadata: always(objectMeta),
  subsets: list(endpointSubset),
});

const endpointConditions = struct('EndpointConditions', {
  ready: optional(bool),
  serving: optional(bool),
  terminating: optional(bool),
});

const forZone = struct('ForZone', {
  name: always(text),
});

const forNode = struct('ForNode', {
  name: always(text),
});

const endpointHints = struct('EndpointHints', {
  forZones: list(forZone),
  forNodes: list(forNode),
});

const endpoint = struct('Endpoint', {
  addresses: always(listSet(text)),
  conditions: always(endpointConditions),
  hostname: optional(text),
  targetRef: objectReference,
  deprecatedTopology: map(text),
  nodeName: optional(text),
  zone: optional(text),
  hints: endpointHints,
});

const slicePort = atomicStruct('EndpointPort', {
  name: optional(text),
  protocol: optional(withDefault(text, 'TCP')),
  port: optional(int32),
  appProtocol: optional(text),
});

export const endpointSlice = struct('EndpointSlice', {
  metadata: always(objectMeta),
  addressType: always(text),
  endpoints: always(list(endpoint)),
  ports: always(list(slicePort)),
});
