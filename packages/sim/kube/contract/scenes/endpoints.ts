import { isJsonList, isJsonObject, type Json, type JsonObject, listOf, valueAt } from '../../../json.ts';
import type { Scene } from '../scene.ts';
import type { Stage } from '../stage.ts';
import { core, grouped } from './paths.ts';

function nodeOf({ namespace }: Stage): string {
  return `node-of-${namespace}`;
}

/** Pods on a node that does not exist are no endpoints. */
async function withNode(stage: Stage, play: () => Promise<void>): Promise<void> {
  const labels = { 'topology.kubernetes.io/zone': 'zone-a' };
  await stage.eventually(`${core(stage, 'serviceaccounts')}/default`, ({ kind }) => kind === 'ServiceAccount');
  await stage.quietly('POST', '/api/v1/nodes', { metadata: { name: nodeOf(stage), labels } });
  try {
    await play();
  } finally {
    await stage.quietly('DELETE', `/api/v1/nodes/${nodeOf(stage)}`);
  }
}

async function createPod(stage: Stage, name: string, labels: JsonObject, spec: JsonObject = {}): Promise<void> {
  const containers = [{ name: 'c', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }] }];
  await stage.quietly('POST', core(stage, 'pods'), {
    metadata: { name, labels },
    spec: { nodeName: nodeOf(stage), containers, ...spec },
  });
}

async function setStatus(
  stage: Stage,
  name: string,
  ready: boolean,
  addresses: readonly string[],
  since: JsonObject = {},
): Promise<void> {
  const pod = await stage.quietly('GET', `${core(stage, 'pods')}/${name}`);
  await stage.quietly('PUT', `${core(stage, 'pods')}/${name}/status`, {
    ...pod,
    status: {
      phase: 'Running',
      podIP: addresses[0] ?? '',
      podIPs: addresses.map((ip) => ({ ip })),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', ...since }],
    },
  });
}

function slicesOf(stage: Stage, service: string): string {
  const selector = encodeURIComponent(`kubernetes.io/service-name=${service}`);
  return `${grouped(stage, 'discovery.k8s.io/v1', 'endpointslices')}?labelSelector=${selector}`;
}

function endpointsIn(body: JsonObject): readonly Json[] {
  return listOf(body.items).flatMap((slice) => listOf(valueAt(slice, 'endpoints')));
}

function hasEndpoints(count: number, ready: number): (body: JsonObject) => boolean {
  return (body) => {
    const endpoints = endpointsIn(body);
    const isReady = (endpoint: Json): boolean => valueAt(endpoint, 'conditions', 'ready') === true;
    return listOf(body.items).length > 0 && endpoints.length === count && endpoints.filter(isReady).length === ready;
  };
}

const slices: Scene = {
  name: 'endpoints: slices of a service with a selector',
  play: (stage) =>
    withNode(stage, async () => {
      await stage.post(core(stage, 'services'), {
        metadata: { name: 'web', labels: { team: 'blue' }, annotations: { note: 'x' } },
        spec: {
          selector: { app: 'web' },
          ports: [{ name: 'http', port: 80, targetPort: 'http', appProtocol: 'http' }],
        },
      });
      await stage.eventually(slicesOf(stage, 'web'), hasEndpoints(0, 0));
      await createPod(stage, 'one', { app: 'web' });
      await setStatus(stage, 'one', true, ['192.0.2.11']);
      await stage.eventually(slicesOf(stage, 'web'), hasEndpoints(1, 1));
      await createPod(stage, 'other', { app: 'other' });
      await setStatus(stage, 'other', true, ['192.0.2.19']);
      await setStatus(stage, 'one', false, ['192.0.2.11']);
      await stage.eventually(slicesOf(stage, 'web'), hasEndpoints(1, 0));
      await setStatus(stage, 'one', true, ['192.0.2.11']);
      await stage.eventually(slicesOf(stage, 'web'), hasEndpoints(1, 1));
      await stage.quietly('DELETE', `${core(stage, 'pods')}/one`);
      await stage.eventually(slicesOf(stage, 'web'), hasEndpoints(1, 0));
      await stage.quietly('DELETE', `${core(stage, 'pods')}/one?gracePeriodSeconds=0`);
      await stage.eventually(slicesOf(stage, 'web'), hasEndpoints(0, 0));
      await stage.delete(`${core(stage, 'services')}/web`);
      await stage.eventually(slicesOf(stage, 'web'), (body) => isJsonList(body.items) && body.items.length === 0);
    }),
};

const legacy: Scene = {
  name: 'endpoints: Endpoints of a service with a selector',
  play: (stage) =>
    withNode(stage, async () => {
      // The controller may see the Service before it sees these: then they tell it the time of the change.
      const since = { lastTransitionTime: '2026-01-01T00:00:00Z' };
      await createPod(stage, 'one', { app: 'web' });
      await setStatus(stage, 'one', true, ['192.0.2.11'], since);
      await createPod(stage, 'two', { app: 'web' }, { hostname: 'named', subdomain: 'web' });
      await setStatus(stage, 'two', false, ['192.0.2.12'], since);
      await stage.post(core(stage, 'services'), {
        metadata: { name: 'web' },
        spec: { clusterIP: 'None', selector: { app: 'web' }, ports: [{ port: 80 }] },
      });
      const isComplete = (body: JsonObject): boolean => {
        const [subset] = listOf(body.subsets);
        if (!isJsonObject(subset)) return false;
        return listOf(subset.addresses).length === 1 && listOf(subset.notReadyAddresses).length === 1;
      };
      await stage.eventually(`${core(stage, 'endpoints')}/web`, isComplete);
      await stage.delete(`${core(stage, 'services')}/web`);
      await stage.eventually(`${core(stage, 'endpoints')}/web`, ({ code }) => code === 404);
    }),
};

const mirrored: Scene = {
  name: 'endpoints: slices that mirror Endpoints',
  async play(stage) {
    await stage.post(core(stage, 'services'), {
      metadata: { name: 'outside' },
      spec: { ports: [{ name: 'p', port: 80 }] },
    });
    await stage.post(core(stage, 'endpoints'), {
      metadata: { name: 'outside', labels: { l: 'm' } },
      subsets: [
        {
          addresses: [{ ip: '192.0.2.21' }, { ip: '192.0.2.22', hostname: 'h' }],
          notReadyAddresses: [{ ip: '192.0.2.23' }],
          ports: [{ name: 'p', port: 8080 }],
        },
      ],
    });
    await stage.eventually(slicesOf(stage, 'outside'), hasEndpoints(3, 2));
    await stage.quietly('PUT', `${core(stage, 'endpoints')}/outside`, {
      metadata: { name: 'outside' },
      subsets: [{ addresses: [{ ip: '192.0.2.21' }], ports: [{ name: 'p', port: 8080 }] }],
    });
    await stage.eventually(slicesOf(stage, 'outside'), hasEndpoints(1, 1));
    await stage.quietly('DELETE', `${core(stage, 'endpoints')}/outside`);
    await stage.eventually(slicesOf(stage, 'outside'), (body) => isJsonList(body.items) && body.items.length === 0);
  },
};

/** The slice of a family, once it has its endpoint. */
async function sliceOf(stage: Stage, family: string): Promise<JsonObject> {
  for (let tries = 0; tries < 200; tries += 1) {
    const { items } = await stage.quietly('GET', slicesOf(stage, 'web'));
    const found = listOf(items).find((slice) => valueAt(slice, 'addressType') === family);
    if (isJsonObject(found) && listOf(found.endpoints).length === 1) return found;
    await stage.wait(50);
  }
  throw new Error(`there is no slice of ${family}`);
}

const families: Scene = {
  name: 'endpoints: a slice for each address family',
  play: (stage) =>
    withNode(stage, async () => {
      await createPod(stage, 'one', { app: 'web' });
      await setStatus(stage, 'one', true, ['192.0.2.11', '2001:db8::11']);
      await stage.post(core(stage, 'services'), {
        metadata: { name: 'web' },
        spec: {
          ipFamilyPolicy: 'RequireDualStack',
          publishNotReadyAddresses: true,
          selector: { app: 'web' },
          ports: [
            { name: 'a', port: 80, targetPort: 8080 },
            { name: 'b', port: 81, targetPort: 'http', protocol: 'TCP' },
            { name: 'c', port: 82, targetPort: 'none' },
          ],
        },
      });
      for (const family of ['IPv4', 'IPv6']) {
        const slice = await sliceOf(stage, family);
        await stage.post(`${grouped(stage, 'discovery.k8s.io/v1', 'endpointslices')}?dryRun=All`, {
          metadata: { name: family.toLowerCase() },
          addressType: slice.addressType ?? null,
          endpoints: slice.endpoints ?? null,
          ports: [...listOf(slice.ports)].sort((left, right) =>
            JSON.stringify(left) < JSON.stringify(right) ? -1 : 1,
          ),
        });
      }
    }),
};

export const endpointScenes: readonly Scene[] = [slices, legacy, mirrored, families];
