import type { Defect } from '../../defect.ts';

const PODS = 'packages/azure/service-gateway/cluster/pod-feed';

export const azurePodDefects: readonly Defect[] = [
  {
    name: 'gateways that no rule names are open to all although a rule says otherwise',
    file: 'packages/azure/service-gateway/cluster/egress-pod.ts',
    find: 'policy.get(name) ?? policy.get(ALL_OTHERS)',
    replace: 'policy.get(name)',
    foundBy: { unit: 'packages/azure/service-gateway/cluster/egress-pod' },
  },
  {
    name: 'a new leader takes an address from a pod because a pod with that address has ended on another node',
    file: `${PODS}.ts`,
    find: '(programmed.get(address) ?? []).filter((entry) => isLeftAt(entry, location))',
    replace: 'programmed.get(address) ?? []',
    foundBy: { unit: PODS },
  },
  {
    name: 'after a restart a pod inherits the gateway of one that has ended on its node',
    file: `${PODS}.ts`,
    find: 'entry.location === location || ',
    replace: '',
    foundBy: { unit: PODS },
  },
  {
    name: 'after a restart a pod inherits the gateway of one whose node is gone',
    file: `${PODS}.ts`,
    find: 'location === undefined || ',
    replace: '',
    foundBy: { unit: PODS },
  },
  {
    name: 'a new leader does not know of which addresses a pod that has ended is to be free',
    file: `${PODS}.ts`,
    find: 'this.#take(pod);\n    this.#restoreDraining();',
    replace: 'this.#take(pod);',
    foundBy: { unit: PODS },
  },
  {
    name: 'a pod that goes takes the gateway from who has had its former address since',
    file: 'packages/azure/service-gateway/engine/difftracker.ts',
    find: '    if (!holdsPod(entry, this.pods, this.foreign)) this.pods.forgetFormer(entry);\n',
    replace: '',
    foundBy: { unit: 'packages/azure/service-gateway/engine/difftracker' },
  },
  {
    name: 'of two pods that claim an address, the one with the higher UID has it',
    file: 'packages/azure/service-gateway/engine/egress-pods.ts',
    find: "`${this.#pods.get(uid)?.createdAt ?? ''} ${uid}`",
    replace: 'uid',
    foundBy: { unit: 'packages/azure/service-gateway/engine/difftracker' },
  },
];
