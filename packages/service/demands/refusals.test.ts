import type { ServiceSpec } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { type LoadBalancerCapabilities, servedFamilies, unsupported } from './refusals.ts';
import { demandsOf } from './service-demands.ts';

const everything: LoadBalancerCapabilities = {
  protocols: ['TCP', 'UDP', 'SCTP'],
  mixedProtocols: true,
  families: ['IPv4', 'IPv6'],
  dualStack: true,
  namedTargetPorts: true,
  repeatedTargetPorts: true,
  localTraffic: true,
  sourceRanges: true,
  clientAffinity: true,
  chosenAddresses: true,
  needsNodePorts: false,
};
const demanding: ServiceSpec = {
  ports: [
    { name: 'a', protocol: 'TCP', port: 80, targetPort: 'http' },
    { name: 'b', protocol: 'TCP', port: 81, targetPort: 'http' },
    { name: 'c', protocol: 'SCTP', port: 82 },
  ],
  ipFamilies: ['IPv4', 'IPv6'],
  ipFamilyPolicy: 'RequireDualStack',
  externalTrafficPolicy: 'Local',
  loadBalancerSourceRanges: ['10.0.0.0/8'],
  sessionAffinity: 'ClientIP',
  loadBalancerIP: '192.0.2.10',
};

const demands = (spec: ServiceSpec) =>
  demandsOf({ metadata: { name: 'web' }, spec: { ports: [{ port: 80 }], ...spec } });
const codes = (spec: ServiceSpec, lacking: Partial<LoadBalancerCapabilities>) =>
  unsupported(demands(spec), { ...everything, ...lacking }).map((refusal) => refusal.code);

describe('unsupported', () => {
  it('refuses nothing of what the load balancer can do', () => {
    expect(codes(demanding, {})).toEqual([]);
  });

  it.each<[string, Partial<LoadBalancerCapabilities>, string]>([
    ['a protocol', { protocols: ['TCP', 'UDP'] }, 'protocol-unsupported'],
    ['several protocols at once', { mixedProtocols: false }, 'mixed-protocols-unsupported'],
    ['a family', { families: ['IPv4'] }, 'family-unsupported'],
    ['both families at once', { dualStack: false }, 'dual-stack-unsupported'],
    ['target ports by name', { namedTargetPorts: false }, 'named-target-port-unsupported'],
    ['a target port twice', { repeatedTargetPorts: false }, 'repeated-target-port-unsupported'],
    ['local traffic', { localTraffic: false }, 'local-traffic-unsupported'],
    ['source ranges', { sourceRanges: false }, 'source-ranges-unsupported'],
    ['affinity', { clientAffinity: false }, 'affinity-unsupported'],
    ['a chosen address', { chosenAddresses: false }, 'chosen-address-unsupported'],
    ['ports without a node port', { needsNodePorts: true }, 'node-port-missing'],
  ])('refuses %s where the load balancer lacks it, and nothing else', (_name, lacking, code) => {
    expect(codes(demanding, lacking)).toEqual([code]);
    expect(codes({}, { ...lacking, needsNodePorts: false })).toEqual([]);
  });

  it('refuses everything at once, each with a sentence of its own', () => {
    const nothing: LoadBalancerCapabilities = {
      protocols: ['UDP'],
      mixedProtocols: false,
      families: ['IPv6'],
      dualStack: false,
      namedTargetPorts: false,
      repeatedTargetPorts: false,
      localTraffic: false,
      sourceRanges: false,
      clientAffinity: false,
      chosenAddresses: false,
      needsNodePorts: true,
    };
    expect(unsupported(demands(demanding), nothing).map((refusal) => refusal.message)).toEqual([
      'it has TCP ports, and only UDP can be balanced',
      'it has SCTP ports, and only UDP can be balanced',
      'it mixes TCP and SCTP, which takes a Service for each',
      'its target ports http, http are names, and must be numbers',
      'several of its ports lead to the target port TCP http, and only one may',
      'its ports TCP 80, TCP 81, SCTP 82 have no node port, which is where traffic would be sent',
      'it asks for IPv4, and only IPv6 can be balanced',
      'it asks for IPv4 and IPv6 at once, which takes a Service for each',
      'it asks for externalTrafficPolicy: Local, and only Cluster can be honoured',
      'it restricts the source ranges, which cannot be enforced; it would be open to everybody',
      'it asks for sessionAffinity: ClientIP, and only None can be honoured',
      'it asks for the address 192.0.2.10, and addresses cannot be chosen',
    ]);
  });

  it('lets a Service that prefers both families be content with one', () => {
    const spec: ServiceSpec = { ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' };
    expect(codes(spec, { families: ['IPv4'] })).toEqual([]);
    expect(codes(spec, { dualStack: false })).toEqual([]);
    expect(codes(spec, { families: [] })).toEqual(['family-unsupported', 'family-unsupported']);
  });

  it('refuses a chosen address of the family that the Service does without', () => {
    const spec: ServiceSpec = {
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'PreferDualStack',
      loadBalancerIP: '2001:db8::10',
    };
    expect(codes(spec, { families: ['IPv4'] })).toEqual(['chosen-address-unsupported']);
  });

  it('does not ask for enforcement of a range that admits everybody', () => {
    expect(codes({ loadBalancerSourceRanges: ['0.0.0.0/0'] }, { sourceRanges: false })).toEqual([]);
  });
});

describe('servedFamilies', () => {
  it('are those wanted and possible, the preferred one first', () => {
    const wanted = demands({ ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' });
    expect(servedFamilies(wanted, everything)).toEqual(['IPv6', 'IPv4']);
    expect(servedFamilies(wanted, { ...everything, dualStack: false })).toEqual(['IPv6']);
    expect(servedFamilies(wanted, { ...everything, families: ['IPv4'] })).toEqual(['IPv4']);
  });
});
