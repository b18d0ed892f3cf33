import type { JsonObject } from '@fairlead/sim/kube/contract';
import type { Dice } from '../dice.ts';

/** A kind that requests are made for. */
export interface FuzzedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly subresources: readonly string[];
  /** The cluster's own controllers finish what such a request begins, at a time of their own: it is only tried out. */
  readonly onlyDryRun?: readonly ('create' | 'delete')[];
  /** What no selector of a list may lack: the cluster's controllers make objects of this kind, too. */
  readonly ownLabels?: readonly string[];
  readonly ownFields?: readonly string[];
  /** The object apart from its header and metadata. */
  example(dice: Dice): JsonObject;
}
