import type {
  Clock,
  Explanation,
  Journal,
  Logger,
  MetricDefinition,
  Metrics,
  PlannedChange,
  Random,
} from '@fairlead/control';
import type {
  CacheFactory,
  CustomResourceDefinition,
  EventRecorder,
  KubeClient,
  KubeObject,
  Leadership,
} from '@fairlead/kube';
import type { z } from 'zod';
import type { Releases } from './releases.ts';

export type { Explanation, PlannedChange } from '@fairlead/control';

/*
 * This page is the contract between a part and the program. A part presents itself as one value; the configuration
 * schema, the chart, the pages on metrics and permissions, `--help`, `plan` and `why` are made from it, so that a new
 * part needs no change elsewhere. docs/a-new-part.md walks through one.
 */

/** A part of Fairlead as the command line sees it. */
export interface Part<Configured extends ConfiguredPart = ConfiguredPart> {
  /** The key under `parts:` in the configuration file; also names the Lease and `/readyz/<name>`. */
  readonly name: string;
  /** One sentence for `--help`. */
  readonly summary: string;
  /** The command that runs this part and no other, beside `fairlead run`: a part on a node needs one. */
  readonly standalone?: {
    readonly command: string;
    readonly summary: string;
    /** Whether two processes of it can be at work at once, so that one can take over from the other. */
    readonly isReplaceable?: boolean;
  };
  /** It runs on nodes, for which there is no cluster: the chart does not have it. */
  readonly runsOn?: 'node';
  /** The class of Services it serves, where it serves any. */
  readonly loadBalancerClass?: string;
  readonly schema: z.ZodType;
  readonly permissions: readonly Permission[];
  readonly customResources: readonly CustomResourceDefinition[];
  readonly metrics: readonly MetricDefinition[];
  readonly events: readonly EventDescription[];
  /** The kinds that `fairlead why` can be asked about, in lower case, singular. */
  readonly explains: readonly string[];
  readonly commands: readonly PartCommand<unknown>[];
  readonly demo?: DemoScene;
  /** Takes what the schema accepted. */
  configure(section: unknown): Configured;
}

/** A part with its configuration, by who runs it. */
export type ConfiguredPart = LeaderPart | ReplicaPart | NodePart;

/** One replica, while it holds the part's Lease. */
export interface LeaderPart extends Questions, Start<LeaderEnvironment> {
  readonly runs: 'leader';
  /** How long a write to the outside may take: its Lease is longer than configured where it would not outlive one. */
  readonly longestWriteMilliseconds?: number;
}

/** Every replica, as a DNS server. */
export interface ReplicaPart extends Questions, Start<ReplicaEnvironment> {
  readonly runs: 'everywhere';
}

/** A process on a node, for which there is no cluster, as the agent on a gateway. */
export interface NodePart extends Start<NodeEnvironment> {
  readonly runs: 'node';
}

export interface Start<Environment> {
  /** Runs the loops until `environment.signal` aborts. Rejects only when it cannot go on; it is started again then. */
  start(environment: Environment): Promise<void>;
}

/** What a part in a cluster can be asked. All of it only reads. */
export interface Questions {
  /** What it would do now, and in how many calls. */
  plan(environment: ReadEnvironment): Promise<PartPlan>;
  /** Why the object is as it is, or undefined when this part has nothing to do with it. */
  explain(environment: ReadEnvironment, subject: Subject): Promise<Explanation | undefined>;
  /** How it is doing. */
  status(environment: ReadEnvironment): Promise<PartStatus>;
}

/** What there is on a node, and everywhere else. */
export interface NodeEnvironment {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly journal: Journal;
  readonly readiness: ReadinessReport;
  readonly signal: AbortSignal;
}

/** What a part may use to look at the cluster without changing it. */
export interface ReadEnvironment {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The load balancer class of Services that name none, if one was declared. */
  readonly defaultClass?: string;
  readonly signal: AbortSignal;
}

/** What a part may use in every replica. */
export interface ReplicaEnvironment extends NodeEnvironment, ReadEnvironment {
  readonly events: EventRecorder;
  /** Caches of the cluster; they stop with the signal. */
  readonly caches: CacheFactory;
}

/** What a part may use while it leads. */
export interface LeaderEnvironment extends ReplicaEnvironment {
  /** Aborted the moment the Lease is lost; no call to the outside may start that it does not cover. */
  readonly leadership: Leadership;
  /** Tells when an operator lets go what is held back. */
  readonly releases?: Releases;
}

/** Whether a part can do its work. `reason` is what an operator reads first. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** Where a running part says whether it is ready. One part being unready never makes another unready. */
export interface ReadinessReport {
  set(readiness: Readiness): void;
}

/** What a part would do now if it ran, in the order in which it would do it. */
export interface PartPlan {
  readonly changes: readonly PlannedChange[];
  /** What the brake would hold back at first, in a sentence. */
  readonly heldBack?: string;
}

/** The write calls of a whole plan. */
export function writesOf(plan: PartPlan): number {
  return plan.changes.reduce((sum, change) => sum + change.writes, 0);
}

/** What a person asks about: `service default/web`. */
export interface Subject {
  /** A Kubernetes kind in lower case, singular. */
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** How a part is doing, for `fairlead status`. */
export interface PartStatus {
  /** One sentence. */
  readonly summary: string;
  readonly figures: Readonly<Record<string, number | string>>;
  /** What an operator has to see to, a sentence each: `fairlead check` fails for them. */
  readonly problems?: readonly string[];
}

/** One line of least privilege: it becomes a rule of the chart's ClusterRole, or of its Role in a namespace. */
export interface Permission {
  /** Empty for the core group. */
  readonly group: string;
  /** Plural, with the subresource where there is one: `services/status`. */
  readonly resources: readonly string[];
  readonly verbs: readonly ('get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete')[];
  /** Everywhere, in the namespace Fairlead runs in, or in that of the cluster's own components. */
  readonly scope: 'cluster' | 'own-namespace' | 'kube-system';
  /** Why it is needed: one sentence for the person who reviews the role. */
  readonly because: string;
}

/** An Event a part emits; it becomes a row of the part's page. */
export interface EventDescription {
  readonly reason: string;
  readonly meaning: string;
}

/**
 * An extra command: `fairlead <part> <name>`, or `fairlead <name>` at the top level. It may write, with permissions of
 * its own: those are of the person who runs it, and not in the role of the program.
 */
export type PartCommand<Configuration> = {
  readonly name: string;
  readonly atTopLevel?: true;
  /** One sentence for `--help`. */
  readonly summary: string;
  /** In order, as `--help` shows them: `<service>`, `[type]`, `<names...>`. */
  readonly arguments?: readonly { readonly name: string; readonly summary: string }[];
  readonly options?: readonly CommandOption[];
  /** What the person who runs it may have to do in the cluster beside reading. */
  readonly permissions?: readonly Permission[];
} & (
  | { readonly needs: 'configuration'; run(invocation: ConfiguredInvocation<Configuration>): Promise<void> }
  /** It is told by its options all it has to know, as one that brings a new cluster in. */
  | { readonly needs: 'nothing'; run(invocation: Invocation): Promise<void> }
);

export interface CommandOption {
  /** As `--help` shows it: `--from <address:port>`. */
  readonly flags: string;
  readonly summary: string;
  readonly default?: string;
  readonly isRequired?: true;
}

/** One call of a command. */
export interface Invocation {
  /** The arguments as they were given. */
  readonly words: readonly string[];
  /** By name in camel case, such as `from`; true for one without a value. */
  readonly options: Readonly<Record<string, string | true>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Prints a line of what was asked for. */
  readonly print: (line: string) => void;
}

export interface ConfiguredInvocation<Configuration> extends Invocation {
  readonly configuration: Configuration;
  readonly environment: ReadEnvironment;
}

/** A part's contribution to `fairlead demo`: a workload, and how to tell that it is served. */
export interface DemoScene {
  /** One sentence: what the viewer is going to see. */
  readonly description: string;
  /** The part's section of the configuration file in the demo. */
  configuration(outsides: DemoOutsides): unknown;
  /** What is applied to the embedded cluster. Services with a selector get pods played behind them. */
  readonly objects: readonly KubeObject[];
  progress(client: KubeClient, signal: AbortSignal): Promise<SceneProgress>;
}

/** What there is outside the embedded cluster: `azure` -> where it can be reached. */
export type DemoOutsides = Readonly<Record<string, string>>;

/** How far a scene has come. */
export interface SceneProgress {
  /** How many of the things the scene created are programmed. */
  readonly done: number;
  readonly total: number;
  /** What is still missing, in a few words each. */
  readonly missing: readonly string[];
}

/** A part whose configuration has a type. */
export interface PartDefinition<Configuration, Configured extends ConfiguredPart>
  extends Omit<Part, 'schema' | 'customResources' | 'commands' | 'configure'> {
  readonly schema: z.ZodType<Configuration>;
  readonly customResources?: readonly CustomResourceDefinition[];
  readonly commands?: readonly PartCommand<Configuration>[];
  configure(configuration: Configuration): Configured;
}

/** Hides the configuration's type behind the schema, so that parts of different kinds fit in one list. */
export function definePart<Configuration, Configured extends ConfiguredPart>(
  definition: PartDefinition<Configuration, Configured>,
): Part<Configured> {
  const { schema } = definition;
  return {
    ...definition,
    customResources: definition.customResources ?? [],
    commands: (definition.commands ?? []).map((command): PartCommand<unknown> => {
      if (command.needs === 'nothing') return command;
      const run = (invocation: ConfiguredInvocation<unknown>) =>
        command.run({ ...invocation, configuration: schema.parse(invocation.configuration) });
      return { ...command, run };
    }),
    configure: (section) => definition.configure(schema.parse(section)),
  };
}
