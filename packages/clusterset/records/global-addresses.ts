import { parseIpAddress } from '@fairlead/control';
import type { EndpointSlice, KubeObject, ReportedCondition, Resource } from '@fairlead/kube';
import type { ExportedSlice } from './exported-slices.ts';

/*
 * Globalnet: where clusters have the same ranges, Services and pods that are exported get an address that is unique in
 * the clusterset. It is on a GlobalIngressIP beside them, and exported in the place of their own.
 */

export interface GlobalIngressIp extends KubeObject {
  readonly spec: {
    readonly target: string;
    readonly serviceRef?: { readonly name: string };
    readonly podRef?: { readonly name: string };
  };
  readonly status?: { readonly allocatedIP?: string; readonly conditions?: readonly ReportedCondition[] };
}

export const globalIngressIps: Resource<GlobalIngressIp> = {
  group: 'submariner.io',
  version: 'v1',
  plural: 'globalingressips',
  kind: 'GlobalIngressIP',
  namespaced: true,
};

/** The address of a Service, or why it has none. */
export type GlobalAddress =
  | { readonly kind: 'allocated'; readonly address: string }
  | { readonly kind: 'missing'; readonly reason: string; readonly message: string };

const UNAVAILABLE = 'ServiceGlobalIPUnavailable';
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

export function globalAddressOf(service: string, all: readonly GlobalIngressIp[]): GlobalAddress {
  const found = all.find(({ spec }) => spec.target === 'ClusterIPService' && spec.serviceRef?.name === service);
  const address = found?.status?.allocatedIP ?? '';
  if (parseIpAddress(address) !== undefined) return { kind: 'allocated', address };
  const condition = found?.status?.conditions?.find(({ type }) => type === 'Allocated');
  const { reason = '', message = '' } = condition?.status === 'False' ? condition : {};
  return {
    kind: 'missing',
    reason: REASON.test(reason) ? reason : UNAVAILABLE,
    message: message === '' ? `The Service ${service} has no global address yet.` : message,
  };
}

/** The slices of a Service with an address, as other clusters reach it: global addresses are of IPv4. */
export function withGlobalAddress(slices: readonly ExportedSlice[], address: string): readonly ExportedSlice[] {
  return slices
    .filter(({ addressType }) => addressType === 'IPv4')
    .map((slice) => ({ ...slice, endpoints: slice.endpoints.map((one) => ({ ...one, addresses: [address] })) }));
}

/** The slices of a headless Service with the global addresses of its pods; pods that have none yet are left out. */
export function withGlobalPods(
  slices: readonly EndpointSlice[],
  all: readonly GlobalIngressIp[],
): readonly EndpointSlice[] {
  const pods = new Map(
    all.flatMap(({ spec, status }) => {
      const address = status?.allocatedIP ?? '';
      if (spec.target !== 'HeadlessServicePod' || parseIpAddress(address) === undefined) return [];
      return spec.podRef === undefined ? [] : [[spec.podRef.name, address] as const];
    }),
  );
  return slices
    .filter(({ addressType }) => addressType === 'IPv4')
    .map((slice) => ({
      ...slice,
      endpoints: (slice.endpoints ?? []).flatMap((endpoint) => {
        const address = pods.get(endpoint.targetRef?.name ?? '');
        return address === undefined ? [] : [{ ...endpoint, addresses: [address] }];
      }),
    }));
}
