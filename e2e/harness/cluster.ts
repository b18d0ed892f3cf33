import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@fairlead/control/adapters';
import { KubeClient, namespaces } from '@fairlead/kube';
import { connect, type Connected } from '@fairlead/kube/adapters';
import { type Outcome, runCommand } from '../../scripts/run-command.ts';
import { AuditLog, type WriteRequest } from './audit-log.ts';
import { clusterBinary, kubectlBinary } from './components.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.ts';
import { eventually } from './eventually.ts';

const IDENTITIES = 'fairlead-identities';

/** A rule of a ClusterRole. */
export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** A ServiceAccount, and how to be it. */
export interface Identity {
  /** As the audit log names it. */
  readonly user: string;
  readonly kubeconfigPath: string;
}

/** A real Kubernetes API with its controllers, empty at the start, for one test file. */
export class Cluster {
  readonly url: string;
  /** Of an administrator. */
  readonly kubeconfigPath: string;
  readonly directory: string;
  readonly pid: number;
  /** As the administrator. */
  readonly client: KubeClient;
  readonly #plane: ControlPlane;
  readonly #kubectl: string;
  readonly #administrator: Connected;
  readonly #auditLog: AuditLog;

  constructor(plane: ControlPlane, kubectl: string, administrator: Connected) {
    this.url = plane.url;
    this.kubeconfigPath = plane.kubeconfigPath;
    this.directory = plane.directory;
    this.pid = plane.pid;
    this.client = new KubeClient(administrator.connection, systemClock);
    this.#plane = plane;
    this.#kubectl = kubectl;
    this.#administrator = administrator;
    this.#auditLog = new AuditLog(plane.auditLogPath);
  }

  /** Runs kubectl as the administrator; `input` is for `-f -`. */
  async kubectl(parameters: readonly string[], input?: string): Promise<Outcome> {
    const cache = join(this.directory, 'kubectl-cache');
    const global = ['--kubeconfig', this.kubeconfigPath, '--cache-dir', cache];
    return runCommand(this.#kubectl, [...global, ...parameters], input);
  }

  /** Every request since the last reset that would change something, granted or not, the cluster's own included. */
  async writes(filter: (write: WriteRequest) => boolean = () => true): Promise<WriteRequest[]> {
    return (await this.#auditLog.read()).filter(filter);
  }

  async resetWrites(): Promise<void> {
    await this.#auditLog.reset();
  }

  /** A new namespace, complete with the service account that Pods need. Deleting one takes seconds: do not bother. */
  async createNamespace(prefix = 'test'): Promise<string> {
    const name = `${prefix}-${randomUUID().slice(0, 8)}`;
    await this.client.create(namespaces, { metadata: { name } });
    const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
    await eventually(() => this.client.getText(account), { describe: `the service account of namespace ${name}` });
    return name;
  }

  /** A ServiceAccount that may do what the rules say; without rules, everything. */
  async createIdentity(name: string, rules?: readonly AccessRule[]): Promise<Identity> {
    const metadata = { name, namespace: IDENTITIES };
    const role = rules === undefined ? 'cluster-admin' : name;
    const rbac = 'rbac.authorization.k8s.io';
    const items = [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: IDENTITIES } },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
      ...(rules === undefined ? [] : [{ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules }]),
      {
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
        subjects: [{ kind: 'ServiceAccount', ...metadata }],
      },
    ];
    await this.#must(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    return this.identityOf(IDENTITIES, name);
  }

  /** How to be a ServiceAccount that is there, with what it may do. */
  async identityOf(namespace: string, name: string): Promise<Identity> {
    const token = await this.#must(['create', 'token', name, '--namespace', namespace, '--duration', '24h']);
    const kubeconfigPath = join(this.directory, `${namespace}.${name}.kubeconfig`);
    await writeFile(kubeconfigPath, JSON.stringify(this.#kubeconfigFor(name, token.trim())));
    return { user: `system:serviceaccount:${namespace}:${name}`, kubeconfigPath };
  }

  /** Ends the process and removes all it left on disk. */
  async stop(): Promise<void> {
    try {
      await this.#administrator.connection.close();
    } finally {
      await this.#plane.stop();
    }
  }

  async #must(parameters: readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.kubectl(parameters, input);
    if (code !== 0) throw new Error(`kubectl ${parameters.join(' ')} failed: ${stderr.trim()}`);
    return stdout;
  }

  /** JSON is YAML too. */
  #kubeconfigFor(name: string, token: string): object {
    const cluster = { server: this.url, 'certificate-authority': this.#plane.certificateAuthorityPath };
    return {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'cluster', cluster }],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: 'cluster', user: name } }],
      'current-context': name,
    };
  }
}

/** Starts a cluster in a few seconds; several may run at once. Dual-stack unless told otherwise. */
export async function startCluster(options: ControlPlaneOptions = {}): Promise<Cluster> {
  const [binary, kubectl] = [await clusterBinary(), await kubectlBinary()];
  const plane = await startControlPlane(binary, options);
  try {
    const choice = { kubeconfig: plane.kubeconfigPath, userAgent: 'fairlead-e2e' };
    return new Cluster(plane, kubectl, await connect(choice));
  } catch (error) {
    await plane.stop();
    throw error;
  }
}
