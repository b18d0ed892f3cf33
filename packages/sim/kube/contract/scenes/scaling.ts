import type { Scene } from '../scene.ts';
import { grouped } from './paths.ts';

const deployments: Scene = {
  name: 'scaling: deployments',
  async play(stage) {
    const path = grouped(stage, 'apps/v1', 'deployments');
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'example.test/web:1' }] },
    };
    const selector = { matchLabels: { app: 'web' } };
    await stage.post(path, { metadata: { name: 'd' }, spec: { selector, template } });
    await stage.get(`${path}/d/scale`);
    await stage.put(`${path}/d/scale`, { metadata: { name: 'd' }, spec: { replicas: 3 } });
    await stage.mergePatch(`${path}/d/scale`, { spec: { replicas: 4 } });
    await stage.put(`${path}/d/scale`, { metadata: { name: 'd', resourceVersion: '1' }, spec: { replicas: 3 } });
    await stage.mergePatch(`${path}/d/scale`, { spec: { replicas: -1 } });
    await stage.get(`${path}/none/scale`);
    await stage.mergePatch(`${path}/d`, { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } });
    await stage.mergePatch(`${path}/d`, { metadata: { labels: { l: 'm' } } });
    await stage.mergePatch(`${path}/d/status`, { status: { replicas: 2 } });
    await stage.mergePatch(`${path}/d`, { spec: { selector: { matchLabels: { z: 'y' } } } });
    await stage.post(path, { metadata: { name: 'e' }, spec: { template } });
    await stage.post(path, { metadata: { name: 'e' }, spec: { selector: { matchLabels: { a: 'b' } }, template } });
    await stage.strategicPatch(`${path}/d`, {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'c', image: 'example.test/web:2' },
              { name: 'x', image: 'y' },
            ],
          },
        },
      },
    });
    await stage.delete(`${path}/d`);
  },
};

const applied: Scene = {
  name: 'scaling: server-side apply',
  async play(stage) {
    const path = grouped(stage, 'apps/v1', 'deployments');
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'example.test/web:1' }] } };
    await stage.post(path, {
      metadata: { name: 'd' },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
    const scale = (query: string, replicas: number) =>
      stage.apply(`${path}/d/scale?${query}`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd' },
        spec: { replicas },
      });
    await scale('fieldManager=one', 3);
    await scale('fieldManager=one&force=true', 3);
    await stage.get(`${path}/d`);
    await scale('fieldManager=one', 4);
    await scale('fieldManager=two', 4);
    await scale('fieldManager=two', 5);
    await stage.get(`${path}/d`);
    await stage.apply(`${path}/d/scale?fieldManager=two`, { apiVersion: 'apps/v1', kind: 'Deployment' });
    await stage.apply(`${path}/d/scale`, { apiVersion: 'autoscaling/v1', kind: 'Scale' });
  },
};

export const scalingScenes: readonly Scene[] = [deployments, applied];
