import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHAPTERS } from './kubectl/chapters.ts';
import { normalized } from './kubectl/normalize.ts';
import { typesIn } from './kubectl/openapi-types.ts';
import { type Pair, runOnBoth, startPair } from './kubectl/pair.ts';

const file = (name: string): string => join(import.meta.dirname, 'kubectl', name);

const PRIOR_COMMANDS = [
  'create namespace harbour',
  'config set-context --current --namespace harbour',
  'wait --for=create serviceaccount/default',
  `create -f ${file('nodes.yaml')}`,
  `apply -f ${file('berths.yaml')}`,
  'wait --for=condition=Established crd/berths.harbour.example',
];

describe('kubectl on the simulated API says what it says on a real one', () => {
  let pair: Pair;

  beforeAll(async () => {
    pair = await startPair();
    for (const command of PRIOR_COMMANDS) {
      const { real, simulated } = await runOnBoth(pair, { command });
      if (real.code + simulated.code !== 0) throw new Error(`${command}: ${real.stderr} ${simulated.stderr}`);
    }
  });
  afterAll(() => pair.stop());

  describe.each(CHAPTERS)('about $title:', ({ steps }) => {
    it.each(steps)('kubectl $command', async (step) => {
      const { real, simulated } = await runOnBoth(pair, step);
      const { code = 0, only = (text: string) => text } = step;
      const shown = (text: string): string => only(normalized(text));
      expect(shown(simulated.stdout)).toBe(shown(real.stdout));
      expect(shown(simulated.stderr)).toBe(shown(real.stderr));
      expect([simulated.code, real.code]).toEqual([code, code]);
      expect(shown(real.stdout + real.stderr) === '').toBe(step.silent ?? false);
    });
  });

  it.each([
    'api/v1',
    'apis/apps/v1',
    'apis/coordination.k8s.io/v1',
    'apis/discovery.k8s.io/v1',
    'apis/events.k8s.io/v1',
    'apis/rbac.authorization.k8s.io/v1',
  ])('describes the types of %s alike', async (path) => {
    const { real, simulated } = await runOnBoth(pair, { command: `get --raw /openapi/v3/${path}` });
    const [realTypes, simulatedTypes] = [typesIn(real.stdout), typesIn(simulated.stdout)];
    const known = [...simulatedTypes.keys()];
    expect(known.length).toBeGreaterThan(0);
    expect(simulatedTypes).toEqual(new Map(known.map((name) => [name, realTypes.get(name)])));
  });

  it('shows a watch as things happen', async () => {
    await runOnBoth(pair, { command: 'create configmap tide --from-literal=a=b' });
    await runOnBoth(pair, { command: 'label configmap tide watched=yes' });
    const watches = [pair.real, pair.simulated].map((side) => side.watch('get configmaps -w -l watched'));
    try {
      await Promise.all(watches.map((watch) => watch.lines(2)));
      await runOnBoth(pair, { command: 'patch configmap tide -p \'{"data":{"c":"d"}}\'' });
      await runOnBoth(pair, { command: 'label configmap tide watched-' });
      const [real = '', simulated = ''] = await Promise.all(watches.map((watch) => watch.lines(4)));
      expect(normalized(simulated)).toBe(normalized(real));
      expect(normalized(real)).toBe('NAME  DATA  AGE\ntide  1  AGE\ntide  2  AGE\ntide  2  AGE\n');
    } finally {
      await Promise.all(watches.map((watch) => watch.end()));
    }
  });
});
