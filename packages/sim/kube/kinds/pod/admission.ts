import { type Random, randomPick } from '@fairlead/control';
import { forbidden } from '../../failure.ts';
import { withMetadata } from '../../object.ts';
import { builtInSchema } from '../../schema/built-in.ts';
import { inOrderOf } from '../../schema/schema.ts';
import type { KindContext } from '../kind.ts';
import { asPod, type Container, type Pod } from './pod.ts';

const container = builtInSchema('io.k8s.api.core.v1.Container');
const podSpec = builtInSchema('io.k8s.api.core.v1.PodSpec');

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const TOKEN_SECONDS = 3607;
const TOLERATED_SECONDS = 300;
const TOPOLOGY_LABELS = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'];
const SUFFIX_LETTERS = Array.from('bcdfghjklmnpqrstvwxz2456789');

/** The random end of a generated name. */
export function nameSuffix(random: Random): string {
  return Array.from({ length: 5 }, () => randomPick(random, SUFFIX_LETTERS)).join('');
}

/** What the cluster adds to every new pod: its account, its token, its priority and its patience. */
export function admitPod(pod: Pod, context: KindContext): Pod {
  const { namespace = '', name } = pod.metadata;
  const account = pod.spec.serviceAccountName ?? 'default';
  const exists = account === 'default' || context.store.get('serviceaccounts', namespace, account) !== undefined;
  if (!exists) {
    const why = `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`;
    throw forbidden({ group: '', resource: 'pods' }, name, why);
  }
  const named = { ...pod.spec, serviceAccountName: account, serviceAccount: account };
  const spec = inOrderOf(podSpec, {
    ...named,
    ...tokenVolume(pod, context.random),
    tolerations: tolerations(pod),
    priority: pod.spec.priority ?? 0,
    preemptionPolicy: pod.spec.preemptionPolicy ?? 'PreemptLowerPriority',
  });
  return withTopology(asPod({ ...pod, spec }), context);
}

/** A pod that comes with its node is told where that is. */
function withTopology(pod: Pod, { store }: KindContext): Pod {
  const node = store.get('nodes', undefined, pod.spec.nodeName ?? '')?.object.metadata.labels ?? {};
  const where = Object.entries(node).filter(([name]) => TOPOLOGY_LABELS.includes(name));
  if (where.length === 0) return pod;
  const labels = { ...pod.metadata.labels, ...Object.fromEntries(where) };
  const sorted = Object.fromEntries(Object.entries(labels).sort(([left], [right]) => (left < right ? -1 : 1)));
  return asPod(withMetadata(pod, { labels: sorted }));
}

type TokenFields = Partial<Pick<Pod['spec'], 'volumes' | 'initContainers' | 'containers'>>;

function tokenVolume({ spec }: Pod, random: Random): TokenFields {
  const { containers, initContainers, volumes = [] } = spec;
  const all = [...(initContainers ?? []), ...(containers ?? [])];
  const mounted = all.every(({ volumeMounts = [] }) => volumeMounts.some(isTokenMount));
  if (mounted || spec.automountServiceAccountToken === false) return {};
  const name = `kube-api-access-${nameSuffix(random)}`;
  const mount = { name, readOnly: true, mountPath: TOKEN_PATH };
  const withMount = (each: Container): Container =>
    each.volumeMounts?.some(isTokenMount) === true
      ? each
      : { ...each, ...inOrderOf(container, { ...each, volumeMounts: [...(each.volumeMounts ?? []), mount] }) };
  return {
    volumes: [...volumes, { name, projected: PROJECTED_TOKEN }],
    ...(initContainers && { initContainers: initContainers.map(withMount) }),
    containers: containers?.map(withMount) ?? null,
  };
}

function isTokenMount({ mountPath }: { readonly mountPath: string }): boolean {
  return mountPath === TOKEN_PATH;
}

const PROJECTED_TOKEN = {
  sources: [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ],
  defaultMode: 420,
};

function tolerations({ spec }: Pod): Pod['spec']['tolerations'] {
  const given = spec.tolerations ?? [];
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (key) =>
      !given.some(
        (toleration) => (toleration.key ?? key) === key && (toleration.effect ?? 'NoExecute') === 'NoExecute',
      ),
  );
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: TOLERATED_SECONDS,
  }));
  return [...given, ...added];
}
