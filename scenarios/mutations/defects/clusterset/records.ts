import type { Defect } from '../../defect.ts';

const FOLDER = 'packages/clusterset';
const records = { unit: `${FOLDER}/records` };
const part = { unit: `${FOLDER}/part` };
const golden = { unit: `${FOLDER}/golden` };
const derived = { unit: `${FOLDER}/controller/derived-service` };

export const clustersetRecordDefects: readonly Defect[] = [
  {
    name: 'precedence is what the exporter says it is',
    file: `${FOLDER}/records/record.ts`,
    find: "const { creationTimestamp: since = '' } = metadata;",
    replace: "const since = metadata.annotations?.['since'] ?? '';",
    foundBy: records,
  },
  {
    name: 'host names of pods are dropped',
    file: `${FOLDER}/records/exported-slices.ts`,
    find: "['conditions', 'hostname', 'zone']",
    replace: "['conditions', 'zone']",
    foundBy: golden,
  },
  {
    name: 'an address without pods behind it is exported',
    file: `${FOLDER}/records/exported-slices.ts`,
    find: 'isBacked(slices, addressType) ?',
    replace: 'true ?',
    foundBy: golden,
  },
  {
    name: 'a record counts in the name of another cluster',
    file: `${FOLDER}/records/trust.ts`,
    find: 'if (labels[SOURCE_CLUSTER] !== cluster)',
    replace: 'if (false)',
    foundBy: records,
  },
  {
    name: 'a cluster may export any address',
    file: `${FOLDER}/records/trust.ts`,
    find: 'return stolen === undefined ? undefined : `${text} ${stolen}`;',
    replace: 'return undefined;',
    foundBy: part,
  },
  {
    name: 'special addresses are believed',
    file: `${FOLDER}/records/trust.ts`,
    find: 'if (special !== undefined && isGranted !== true)',
    replace: 'if (false)',
    foundBy: records,
  },
  {
    name: 'a derived Service can be exported again',
    file: `${FOLDER}/records/local-export.ts`,
    find: 'if (derivedKey(service) !== undefined) {',
    replace: 'if (derivedKey(service) === null) {',
    foundBy: derived,
  },
  {
    name: 'all that an owner writes into a Service is kept in memory',
    file: `${FOLDER}/records/local-export.ts`,
    find: 'spec: picked(spec, EXPORTED) };',
    replace: 'spec };',
    foundBy: { unit: `${FOLDER}/records/local-export.test.ts` },
  },
  {
    name: 'a derived Service loses what others wrote into it',
    file: `${FOLDER}/records/local-export.ts`,
    find: 'if (derivedKey(service) !== undefined) return service;',
    replace: '',
    foundBy: { unit: `${FOLDER}/records/local-export.test.ts` },
  },
  {
    name: 'pods that are not ready are exported as ready',
    file: `${FOLDER}/records/exported-slices.ts`,
    find: "['conditions', 'hostname', 'zone']",
    replace: "['hostname', 'zone']",
    foundBy: golden,
  },
  {
    name: 'an export of another cluster has labels of others taken off the import',
    file: `${FOLDER}/records/malformed.ts`,
    find: '.find(isOwnMark)',
    replace: '.find((name) => isOwnMark(name) && name === "")',
    foundBy: records,
  },
  {
    name: 'an export that no cluster takes waits without a word',
    file: `${FOLDER}/records/local-export.ts`,
    find: 'if (unwelcome !== undefined) return',
    replace: 'if (unwelcome === "") return',
    foundBy: part,
  },
  {
    name: 'another cluster names nodes and Pods of ours',
    file: `${FOLDER}/records/trust.ts`,
    find: 'endpoints: endpoints.map(exportedEndpoint)',
    replace: 'endpoints',
    foundBy: { unit: `${FOLDER}/records` },
  },
];
