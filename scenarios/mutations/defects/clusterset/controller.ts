import type { Defect } from '../../defect.ts';

const FOLDER = 'packages/clusterset';
const part = { unit: `${FOLDER}/part` };
const apply = { unit: `${FOLDER}/controller/apply` };
const derived = { unit: `${FOLDER}/controller/derived-service` };
const liveness = { unit: `${FOLDER}/controller/liveness` };

export const clustersetControllerDefects: readonly Defect[] = [
  {
    name: 'a lost conflict is never looked at again',
    file: `${FOLDER}/controller/controller.ts`,
    find: 'follow(link.caches.imports, recordedFor, controller);',
    replace: '',
    foundBy: part,
  },
  {
    name: 'a cluster that the broker forgot is taken out at once',
    file: `${FOLDER}/controller/liveness.ts`,
    find: '600_000',
    replace: '0',
    foundBy: part,
  },
  {
    name: 'an object is written whatever version it has by now',
    file: `${FOLDER}/controller/apply.ts`,
    find: "if (verb === 'update') return client.update(resource, object, options);",
    replace:
      "if (verb === 'update') return client.update(resource, { ...object, metadata: { ...object.metadata, resourceVersion: undefined } }, options);",
    foundBy: part,
  },
  {
    name: 'what is deleted rests upon the cache alone',
    file: `${FOLDER}/controller/apply.ts`,
    find: 'await this.#confirm(write, signal);',
    replace: '',
    foundBy: part,
  },
  {
    name: 'one cluster may fill the memory of all others',
    file: `${FOLDER}/controller/selection.ts`,
    find: 'if (!isOwn && kept.weightBeside(id) + weight > limit) {',
    replace: 'if (limit < 0) {',
    foundBy: part,
  },
  {
    name: 'what was left out is not read when its namespace comes',
    file: `${FOLDER}/controller/broker-link.ts`,
    find: 'this.caches.imports.relist();',
    replace: '',
    foundBy: part,
  },
  {
    name: 'a mass of withdrawals is not held back',
    file: `${FOLDER}/controller/reconciler.ts`,
    find: 'heldMilliseconds === 0 ? writes : writes.filter((write) => clustersLostBy([write]).size === 0)',
    replace: 'writes',
    foundBy: part,
  },
  {
    name: 'the brake counts the imports of all clusters as those of one',
    file: `${FOLDER}/controller/withdrawals.ts`,
    find: 'waitsFor(key, view.importCount(cluster))',
    replace: 'waitsFor(key, view.imports)',
    foundBy: { unit: `${FOLDER}/controller/withdrawals` },
  },
  {
    name: 'a cluster looks silent after the broker was away',
    file: `${FOLDER}/controller/liveness.ts`,
    find: 'for (const [cluster, { renewTime }] of this.#seen) this.#seen.set(cluster, { renewTime, at: now });',
    replace: '',
    foundBy: liveness,
  },
  {
    name: 'the same is written again before the cache has it',
    file: `${FOLDER}/controller/reconciler.ts`,
    find: 'if (waits > 0) return { afterMilliseconds: waits };',
    replace: '',
    foundBy: part,
  },
  {
    name: 'the aggregate of a namespace that is not here any more is never seen again',
    file: `${FOLDER}/controller/selection.ts`,
    find: '!isOwn && !namesUs &&',
    replace: '!isOwn &&',
    foundBy: part,
  },
  {
    name: 'a derived Service that outlived its import is never looked at',
    file: `${FOLDER}/controller/view.ts`,
    find: '      ...services.list().flatMap(derivedFor),\n',
    replace: '',
    foundBy: derived,
  },
  {
    name: 'a probe that could not be made counts as no answer',
    file: `${FOLDER}/controller/silence.ts`,
    find: '.catch(() => true)',
    replace: '.catch(() => false)',
    foundBy: part,
  },
  {
    name: 'what is deleted may have changed since',
    file: `${FOLDER}/controller/apply.ts`,
    find: '{ ...options, ...preconditions }',
    replace: '{ ...options }',
    foundBy: apply,
  },
  {
    name: 'a broker that cannot be read any more is gone by',
    file: `${FOLDER}/controller/broker-link.ts`,
    find: 'if (blindFor >= AWAY_AFTER_MILLISECONDS)',
    replace: 'if (blindFor < 0)',
    foundBy: part,
  },
  {
    name: 'a record that is being deleted counts as there',
    file: `${FOLDER}/controller/apply.ts`,
    find: 'found !== undefined && found.metadata.deletionTimestamp === undefined',
    replace: 'found !== undefined',
    foundBy: apply,
  },
  {
    name: 'imports that an operator lets go wait on',
    file: `${FOLDER}/controller/withdrawals.ts`,
    find: 'for (const brake of this.#brakes.values()) for (const key of brake.held) options.requeue(key);',
    replace: '',
    foundBy: { unit: `${FOLDER}/controller/withdrawals` },
  },
  {
    name: 'a brake that is not used any more waits for releases',
    file: `${FOLDER}/controller/withdrawals.ts`,
    find: `      brake.discard();
`,
    replace: '',
    foundBy: { unit: `${FOLDER}/controller/withdrawals.test.ts` },
  },
  {
    name: 'every name that a tenant invents is remembered',
    file: `${FOLDER}/controller/liveness.ts`,
    find: 'if (now - askedAt >= LEFT_AFTER_MILLISECONDS) this.#missing.delete(cluster);',
    replace: 'void [cluster, askedAt];',
    foundBy: { unit: `${FOLDER}/controller/liveness.test.ts` },
  },
  {
    name: 'a cluster that takes long to probe holds up the others',
    file: `${FOLDER}/controller/silence.ts`,
    find: 'if (this.#probing.has(cluster)) return;',
    replace: 'if (this.#probing.size > 0) return;',
    foundBy: { unit: `${FOLDER}/part.test.ts` },
  },
  {
    name: 'a cluster takes another one of its name out',
    file: `${FOLDER}/membership/membership.ts`,
    find: `  if (await isTaken(client, member, signal)) {
    throw refused(\`another cluster is the member \${cluster}: give the name of this one\`);
  }
`,
    replace: '',
    foundBy: { unit: `${FOLDER}/membership` },
  },
  {
    name: 'a cluster has gigabytes kept in all others',
    file: `${FOLDER}/controller/selection.ts`,
    find: 'const weight = isOwn ? 1 : weightOf(object);',
    replace: 'const weight = isOwn ? 1 : Math.min(1, weightOf(object));',
    foundBy: { unit: `${FOLDER}/controller/selection.test.ts` },
  },
  {
    name: 'the plan of a few from each of many clusters does not say that they are held back',
    file: `${FOLDER}/controller/withdrawal-brake.ts`,
    find: '[...judged, together]',
    replace: '[...judged, ...[together].slice(1)]',
    foundBy: { unit: `${FOLDER}/plan.test.ts` },
  },
  {
    name: 'the plan holds back twice what one cluster withdraws',
    file: `${FOLDER}/controller/withdrawal-brake.ts`,
    find: ' && ![...lost].some((cluster) => holding.has(cluster))',
    replace: '',
    foundBy: { unit: `${FOLDER}/plan.test.ts` },
  },
];
