import { keyText } from '@fairlead/kube';
import { definePart, type LeaderPart, type Part } from '@fairlead/part';
import { countServices, describeServiceEvents, explainReported, problemsOf, serviceChanges } from '@fairlead/service';
import type { OpenSession } from '../ports/address-cloud.ts';
import { OCTAVIA_CLASS } from './claim.ts';
import { octaviaConfiguration } from './configuration.ts';
import { runController } from './controller.ts';
import { demoScene } from './demo.ts';
import { octaviaMetrics } from './metrics.ts';
import { openOpenStack } from './openstack.ts';
import { octaviaPermissions } from './permissions.ts';
import { heldLeftovers } from './report/leftovers.ts';
import { takeSnapshot } from './report/snapshot.ts';
import { kuryrLoadBalancerDefinition } from './resource/definition.ts';

/** Load balancers of Octavia, as the command line sees it. `openSession` is the way to OpenStack. */
export function octaviaPart(openSession: OpenSession): Part<LeaderPart> {
  return definePart({
    name: 'octavia',
    summary: 'Gives Services load balancers of OpenStack Octavia, each kept as a KuryrLoadBalancer resource.',
    loadBalancerClass: OCTAVIA_CLASS,
    schema: octaviaConfiguration,
    permissions: octaviaPermissions,
    customResources: [kuryrLoadBalancerDefinition],
    metrics: octaviaMetrics,
    events: describeServiceEvents(
      'EnsuringLoadBalancer',
      'EnsuredLoadBalancer',
      'SyncLoadBalancerFailed',
      'DeleteLoadBalancerFailed',
      'LoadBalancerRefused',
      'DeletedLoadBalancer',
      'DeletionHeldBack',
    ),
    demo: demoScene,
    explains: ['service', 'kuryrloadbalancer'],
    configure: (configuration): LeaderPart => ({
      runs: 'leader',
      async start(environment) {
        await using openstack = await openOpenStack(openSession, configuration, environment);
        await runController(configuration, openstack, environment);
      },
      async plan(environment) {
        const snapshot = await takeSnapshot(openSession, configuration, environment);
        const changes = [...serviceChanges(snapshot.services), ...snapshot.leftBehind.changes];
        return { ...heldLeftovers(environment.clock, snapshot.leftBehind), changes };
      },
      async explain(environment, subject) {
        const { services } = await takeSnapshot(openSession, configuration, environment);
        const found = services.get(keyText(subject));
        if (found === undefined) return undefined;
        return explainReported(found, { subject: `Service ${keyText(subject)}`, servedBy: 'Octavia' });
      },
      async status(environment) {
        const { services } = await takeSnapshot(openSession, configuration, environment);
        const counts = countServices(services.values());
        const summary = `${counts.served} Services served by load balancers of Octavia`;
        return { summary, figures: { ...counts }, problems: problemsOf(counts) };
      },
    }),
  });
}
