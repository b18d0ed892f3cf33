import type { IpRange } from '@fairlead/control';
import type { Resource } from '@fairlead/kube';
import type { ServiceExport, ServiceImport } from '../mcs/types.ts';
import type { PortPolicy } from '../merge/ports.ts';
import type { NamespaceRules } from '../records/trust.ts';

/** What is believed of the software before aggregation. */
export interface OlderSettings {
  /** Those that are yet to be upgraded. */
  readonly clusters: readonly string[];
  /** Where its ServiceImports are in this cluster. */
  readonly namespace: string;
  /** Where those of all clusters are at the broker. */
  readonly brokerNamespace: string;
}

/** Who we are in which clusterset, and how it is to be done here. */
export interface Settings {
  readonly clusterset: string;
  readonly cluster: string;
  /** Where Fairlead is in this cluster: the local ServiceImports are there. */
  readonly namespace: string;
  /** The shared namespace at the broker. */
  readonly brokerNamespace: string;
  readonly portPolicy: PortPolicy;
  readonly namespaces: NamespaceRules;
  readonly ownRanges: readonly IpRange[];
  /** Of one cluster that are read at the broker. */
  readonly mostServices: number;
  /** Whether exported addresses are those of Globalnet. */
  readonly globalnet: boolean;
  /** Whether imports get an address in this cluster, by a Service of our own. */
  readonly derivedServices: boolean;
  readonly older: OlderSettings;
  /** In the version that this cluster serves. */
  readonly serviceExports: Resource<ServiceExport>;
  readonly serviceImports: Resource<ServiceImport>;
  /** In the version that the broker serves. */
  readonly brokerImports: Resource<ServiceImport>;
}
