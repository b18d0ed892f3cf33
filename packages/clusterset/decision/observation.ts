import type { EndpointSlice, Namespace, Service } from '@fairlead/kube';
import type { ServiceExport, ServiceImport } from '../mcs/types.ts';
import type { Export } from '../merge/merge.ts';
import type { ExportedSlice } from '../records/exported-slices.ts';
import type { GlobalIngressIp } from '../records/global-addresses.ts';
import type { ExportKey } from '../records/names.ts';
import type { Trusted } from '../records/trust.ts';

/** All that there is about one Service of the clusterset, here and at the broker. */
export interface Observation {
  readonly key: ExportKey;
  readonly namespace: Namespace | undefined;
  readonly serviceExport: ServiceExport | undefined;
  readonly service: Service | undefined;
  /** Those of the Service itself. */
  readonly podSlices: readonly EndpointSlice[];
  /** Of the namespace, where addresses are translated by Globalnet. */
  readonly globalIps?: readonly GlobalIngressIp[];
  /** The local ServiceImport: what this cluster alone exports. */
  readonly localImport: ServiceImport | undefined;
  /** The ServiceImport of the clusterset in the namespace of the Service, ours or made by another controller. */
  readonly imported: ServiceImport | undefined;
  /** The slices behind it that we made. */
  readonly importedSlices: readonly EndpointSlice[];
  /** What there is under the name of the Service that is derived from the import, ours or made by a user. */
  readonly derivedService: Service | undefined;
  /** The slices of this cluster behind it that we made. */
  readonly derivedSlices: readonly EndpointSlice[];
  readonly broker: BrokerObservation;
}

export type BrokerObservation =
  | {
      readonly state: 'in-step';
      readonly ownRecord: ServiceImport | undefined;
      readonly ownSlices: readonly EndpointSlice[];
      /** Those of this cluster as well. */
      readonly records: readonly Trusted<Export>[];
      /** Those of other clusters. */
      readonly slices: readonly Trusted<ExportedSlice>[];
      readonly aggregate: ServiceImport | undefined;
      /** Clusters that fell silent, and whose endpoints are not to be used. */
      readonly dropped: ReadonlySet<string>;
      /** Clusters without a Lease: they have left, or the broker has forgotten them. */
      readonly missing: ReadonlySet<string>;
      /** Clusters that have been missing for long. */
      readonly left: ReadonlySet<string>;
    }
  /** What is in the cluster is all there is to go by. */
  | BrokerUnavailable;

/** The broker cannot be read, or this cluster is no member of it; a short interruption is not reported. */
export interface BrokerUnavailable {
  readonly state: 'unavailable';
  readonly reason: string;
  readonly isLasting: boolean;
}
