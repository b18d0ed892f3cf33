import { SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import { endpointSlices } from '@fairlead/kube';
import type { DemoScene } from '@fairlead/part';

const PORT = 10_053;

/** It answers for what the clusters of the demo export. */
export const demoScene: DemoScene = {
  description: `dig @127.0.0.1 -p ${PORT} web.clusterset-demo.svc.clusterset.local leads to the exported Service.`,
  configuration: () => ({ listen: [`127.0.0.1:${PORT}`], cluster: 'home' }),
  objects: [],
  async progress(client, signal) {
    const { items } = await client.list(endpointSlices, { labelSelector: SOURCE_CLUSTER, signal });
    const isAnswered = items.some(({ endpoints }) => (endpoints ?? []).length > 0);
    return { done: isAnswered ? 1 : 0, total: 1, missing: isAnswered ? [] : ['no cluster exports a pod yet'] };
  },
};
