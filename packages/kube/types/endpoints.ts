import type { KubeObject } from './meta.ts';
import type { Protocol } from './service.ts';

/** Which object stands behind something: the Pod of an endpoint, the object an Event is about. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

export interface EndpointConditions {
  /** Absent means unknown, which consumers treat as ready. */
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly targetRef?: ObjectReference;
  readonly hints?: {
    readonly forZones?: readonly { readonly name: string }[];
    readonly forNodes?: readonly { readonly name: string }[];
  };
}

export interface EndpointPort {
  readonly name?: string;
  readonly protocol?: Protocol;
  /** Absent means all ports. */
  readonly port?: number;
  readonly appProtocol?: string;
}

/** Some of the endpoints of a Service, all of one address family. */
export interface EndpointSlice extends KubeObject {
  readonly addressType: 'IPv4' | 'IPv6' | 'FQDN';
  /** The server writes `null` for none. */
  readonly endpoints: readonly Endpoint[] | null;
  /** The server writes `null` for none. */
  readonly ports?: readonly EndpointPort[] | null;
}

/** Ties an EndpointSlice to its Service. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

export interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
}

/** Addresses that share the same ports. */
export interface EndpointsSubset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly {
    readonly name?: string;
    readonly port: number;
    readonly protocol?: Protocol;
    readonly appProtocol?: string;
  }[];
}

/** The older form of EndpointSlice; the cluster mirrors hand-written ones into slices. */
export interface Endpoints extends KubeObject {
  readonly subsets?: readonly EndpointsSubset[];
}
