// Serves the objects of a clusterset: `node server.ts SERVICES CLUSTERS HEADLESS PODS`. ServiceImports in both versions,
// because CoreDNS knows only the older one.
import { type Collection, serveApi } from '../api-server.ts';
import { clusterSetObjects, NAMESPACE } from './objects.ts';

const GROUP = 'multicluster.x-k8s.io';
const VERSIONS = ['v1beta1', 'v1alpha1'];

const [services, clusters, headless, pods] = process.argv.slice(2).map(Number);
if (services === undefined || clusters === undefined || headless === undefined || pods === undefined) {
  throw new Error('usage: server.ts SERVICES CLUSTERS HEADLESS PODS');
}

const slices: Collection = { kind: 'EndpointSlice', apiVersion: 'discovery.k8s.io/v1', items: [] };
const imports = VERSIONS.map(
  (version): Collection => ({ kind: 'ServiceImport', apiVersion: `${GROUP}/${version}`, items: [] }),
);
for (const object of clusterSetObjects({ services, clusters, headless, pods })) {
  if (object.kind === 'EndpointSlice') slices.items.push(Buffer.from(JSON.stringify(object)));
  else for (const { apiVersion, items } of imports) items.push(Buffer.from(JSON.stringify({ ...object, apiVersion })));
}
const metadata = { name: NAMESPACE, uid: 'namespace', resourceVersion: '1' };
const namespace = Buffer.from(
  JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata, status: { phase: 'Active' } }),
);

const versions = VERSIONS.map((version) => ({ groupVersion: `${GROUP}/${version}`, version }));
const [preferredVersion] = versions;
const group = { kind: 'APIGroup', apiVersion: 'v1', name: GROUP, versions, preferredVersion };
const resources = versions.map(({ groupVersion }) => {
  const verbs = ['get', 'list', 'watch'];
  const one = { name: 'serviceimports', singularName: 'serviceimport', kind: 'ServiceImport', namespaced: true, verbs };
  return [
    `/apis/${groupVersion}`,
    { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [one] },
  ] as const;
});
await serveApi(
  new Map([
    ['/apis/discovery.k8s.io/v1/endpointslices', slices],
    ['/api/v1/services', { kind: 'Service', apiVersion: 'v1', items: [] }],
    ['/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', items: [namespace] }],
    ...imports.map((one) => [`/apis/${one.apiVersion}/serviceimports`, one] as const),
  ]),
  new Map<string, object>([
    [`/apis/${GROUP}`, group],
    ...resources,
    ['/version', { major: '1', minor: '36', gitVersion: 'v1.36.3' }],
  ]),
);
