import type { KubeClient, KubeObject } from '@fairlead/kube';

/** How far a scene has come. */
export interface SceneProgress {
  /** How many of the things the scene created are programmed. */
  readonly done: number;
  readonly total: number;
  /** What is still missing, in a few words each. */
  readonly missing: readonly string[];
}

/** What there is outside the embedded cluster. */
export interface DemoOutside {
  /** The address of an emulated Azure Resource Manager, with the group and the network that the scenes name. */
  readonly azure: string;
}

/** A part's contribution to `fairlead demo`: a workload, and how to tell that it is served. */
export interface DemoScene {
  /** One sentence: what the viewer is going to see. */
  readonly description: string;
  /** The part's section of the configuration file in the demo. */
  configuration(outside: DemoOutside): unknown;
  /** What is applied to the embedded cluster. Services with a selector get pods played behind them. */
  readonly objects: readonly KubeObject[];
  progress(client: KubeClient, signal: AbortSignal): Promise<SceneProgress>;
}
