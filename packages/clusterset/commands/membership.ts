import { FairleadError } from '@fairlead/control';
import { isNotFound, KubeClient, namespaces, secrets } from '@fairlead/kube';
import type { CommandOption, Invocation, PartCommand } from '@fairlead/part';
import type { Connect, ConnectedCluster } from '../controller/broker-link.ts';
import { accountObject, type Member } from '../membership/broker-objects.ts';
import { propertySteps, removeProperties } from '../membership/cluster-properties.ts';
import { credentialSteps, SECRET } from '../membership/credentials.ts';
import { joinSteps, leaveSteps, type MembershipStep } from '../membership/membership.ts';
import { removeImports } from '../membership/member-side.ts';
import { isClusterName } from '../records/names.ts';

const options: readonly CommandOption[] = [
  { flags: '--clusterset <name>', summary: 'the clusterset', isRequired: true },
  { flags: '--cluster <name>', summary: 'the name of this cluster in it', isRequired: true },
  {
    flags: '--broker-kubeconfig <file>',
    summary: 'the way to the broker, as one who may make roles there',
    isRequired: true,
  },
  { flags: '--kubeconfig <file>', summary: 'the way to this cluster', isRequired: true },
  { flags: '--broker-namespace <name>', summary: 'the shared namespace at the broker', default: 'fairlead-broker' },
  { flags: '--namespace <name>', summary: 'where Fairlead runs in this cluster', default: 'fairlead-system' },
  {
    flags: '--older-namespace <name>',
    summary: 'for a migration: where the software before aggregation keeps its ServiceImports at the broker',
  },
  { flags: '--yes', summary: 'does what would otherwise only be said' },
];

export function joinCommand(connect: Connect): PartCommand<never> {
  return {
    name: 'join',
    atTopLevel: true,
    summary:
      'Makes this cluster a member of a clusterset, or renews its credentials. Says what it does before it does it.',
    options: [
      ...options,
      {
        flags: '--ranges <cidrs>',
        summary: 'the ranges of its pods and Services, with commas; no other member may have them',
      },
      { flags: '--replace', summary: 'this cluster takes the place of another that was a member under its name' },
      { flags: '--translated', summary: 'addresses are translated between clusters, and ranges may be the same' },
    ],
    needs: 'nothing',
    run: (invocation) =>
      withClusters(connect, invocation, async (member, broker, cluster, namespace) => {
        const { signal, print } = invocation;
        const known = await identified(member, cluster.client, signal);
        const places = { broker: broker.client, entry: broker.entry, cluster: cluster.client };
        const replaces = invocation.options['replace'] === true;
        const steps = [
          ...(await joinSteps(broker.client, known, signal, { replaces })),
          ...(await propertySteps(cluster.client, member, signal)),
          ...(await credentialSteps(member, { ...places, namespace }, accountObject(member), signal)),
        ];
        await perform(steps, invocation);
        print(
          'Pods of this cluster must reach the Service addresses of the other members, and the pods of their headless Services; Fairlead must reach the broker: that is the network’s to do.',
        );
      }),
  };
}

export function leaveCommand(connect: Connect): PartCommand<never> {
  return {
    name: 'leave',
    atTopLevel: true,
    summary: 'Takes this cluster out of its clusterset, with all that it exports and imports.',
    options,
    needs: 'nothing',
    run: (invocation) =>
      withClusters(connect, invocation, async (member, broker, cluster, namespace) => {
        const { signal } = invocation;
        const steps = [
          ...(await leaveSteps(broker.client, await identified(member, cluster.client, signal), signal)),
          ...(await removeImports(cluster.client, signal)),
          ...(await removeProperties(cluster.client, signal)),
          ...(await removeSecret(cluster.client, namespace, signal)),
        ];
        await perform(steps, invocation);
      }),
  };
}

/** With what tells the cluster from another of the same name. */
async function identified(member: Member, client: KubeClient, signal: AbortSignal): Promise<Member> {
  const { uid } = (await client.get(namespaces, { name: 'kube-system' }, { signal })).metadata;
  return uid === undefined ? member : { ...member, uid };
}

interface Opened extends ConnectedCluster {
  readonly client: KubeClient;
}

async function withClusters(
  connect: Connect,
  invocation: Invocation,
  work: (member: Member, broker: Opened, cluster: Opened, namespace: string) => Promise<void>,
): Promise<void> {
  const { clock, signal } = invocation;
  const option = (name: string) => String(invocation.options[name] ?? '');
  const member: Member = {
    clusterset: option('clusterset'),
    cluster: option('cluster'),
    brokerNamespace: option('brokerNamespace'),
    ...(invocation.options['olderNamespace'] !== undefined && { olderNamespace: option('olderNamespace') }),
    ...(invocation.options['translated'] === undefined && { ranges: option('ranges').split(',').filter(Boolean) }),
  };
  for (const name of [member.clusterset, member.cluster]) {
    if (!isClusterName(name))
      throw refused(`"${name}" is no name of a cluster or clusterset: use letters, digits and dashes`);
  }
  const open = async (kubeconfig: string): Promise<Opened> => {
    const connected = await connect({ kubeconfig }, signal);
    return { ...connected, client: new KubeClient(connected.connection, clock), close: () => connected.close() };
  };
  const broker = await open(option('brokerKubeconfig'));
  try {
    const cluster = await open(option('kubeconfig'));
    try {
      await work(member, broker, cluster, option('namespace'));
    } finally {
      await cluster.close();
    }
  } finally {
    await broker.close();
  }
}

async function perform(steps: readonly MembershipStep[], { options: given, print, signal }: Invocation): Promise<void> {
  const isMeant = given['yes'] === true;
  if (steps.length === 0) print('Nothing is left to do.');
  for (const step of steps) {
    print(isMeant ? step.text : `would ${step.text}`);
    if (isMeant) await step.run(signal);
  }
  if (!isMeant && steps.length > 0) print('Nothing was done: add --yes to do it.');
}

async function removeSecret(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly MembershipStep[]> {
  const key = { namespace, name: SECRET };
  if ((await client.find(secrets, key, { signal })) === undefined) return [];
  const run = async (stop: AbortSignal) => {
    try {
      await client.delete(secrets, key, { signal: stop });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  return [{ text: `delete Secret ${namespace}/${SECRET} of this cluster`, run }];
}

function refused(message: string): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code: 'join-refused' });
}
