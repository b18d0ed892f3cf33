import type { Defect } from '../../defect.ts';

/** Thought of from the sources of `azure` alone, before any of its tests was looked at. */
export const azureDefectsFromSources: readonly Defect[] = [
  {
    name: 'an operation that was cancelled is waited for',
    file: 'packages/azure/arm/client/long-running.ts',
    find: "if (state !== 'Failed' && state !== 'Canceled') return undefined;",
    replace: "if (state !== 'Failed') return undefined;",
    foundBy: { unit: 'packages/azure/arm/client' },
  },
  {
    name: 'the token is sent to a host whose name ends alike',
    file: 'packages/azure/arm/client/links.ts',
    find: 'url.host.endsWith(`.${known.host}`)',
    replace: 'url.host.endsWith(known.host)',
    foundBy: { unit: 'packages/azure/arm/client' },
  },
  {
    name: 'a deletion whose result is forgotten counts as done',
    file: 'packages/azure/arm/client/operation-poller.ts',
    find: "if (error.status === 404 && poll.style !== 'resource') throw forgotten(what(write));",
    replace: "if (error.status === 404 && poll.style === 'status') throw forgotten(what(write));",
    foundBy: { unit: 'packages/azure/arm/client' },
  },
  {
    name: 'a write that was taken fails because reading is throttled',
    file: 'packages/azure/arm/client/client.ts',
    find: "{ ...options, throttle: 'wait', correlationId }",
    replace: '{ ...options, correlationId }',
    foundBy: { unit: 'packages/azure/arm/client' },
  },
  {
    name: 'deletions go without their precondition',
    file: 'packages/azure/arm/client/request-factory.ts',
    find: "verb === 'GET' ? undefined : conditions(options)",
    replace: "verb === 'PUT' ? conditions(options) : undefined",
    foundBy: { unit: 'packages/azure/arm/client' },
  },
  {
    name: 'a second chance takes a service down that is serving',
    file: 'packages/azure/service-gateway/engine/service-state.ts',
    find: `  return { kind: state.serving ? 'UpdatePending' : 'NotStarted', spec: state.spec, wait: NO_WAIT };
}
`,
    replace: `  return { kind: 'NotStarted', spec: state.spec, wait: NO_WAIT };
}
`,
    foundBy: { unit: 'packages/azure/service-gateway/engine/service-state.test.ts' },
  },
  {
    name: 'what a lost request may have left is certain after a refused one',
    file: 'packages/azure/service-gateway/engine/difftracker.ts',
    find: `for (const { entry, before, wasCertain } of updates) {
      entry.requestedAt = this.#clock.monotonic();
      this.#table.setNrp(entry, before, wasCertain);`,
    replace: `for (const { entry, before } of updates) {
      entry.requestedAt = this.#clock.monotonic();
      this.#table.setNrp(entry, before, true);`,
    foundBy: { unit: 'packages/azure/service-gateway/engine/difftracker.test.ts' },
  },
  {
    name: 'after a probe the other addresses are not sent',
    file: 'packages/azure/service-gateway/cloud/locations-updater.ts',
    find: `    if (isPart) this.#isTriggered = true;
`,
    replace: '',
    foundBy: { unit: 'packages/azure/service-gateway/cloud/locations-updater.test.ts' },
  },
  {
    name: 'a pod that is deleted keeps its gateway for its grace period twice',
    file: 'packages/azure/service-gateway/cluster/egress-pod.ts',
    find: '  return metadata.deletionTimestamp === undefined ? undefined : Date.parse(metadata.deletionTimestamp);',
    replace: `  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  return deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1_000;`,
    foundBy: { unit: 'packages/azure/service-gateway/controller.test.ts' },
  },
  {
    name: 'a resource that Azure is creating counts as made',
    file: 'packages/azure/arm/provisioning.ts',
    find: '!SETTLED.has(state.toLowerCase())',
    replace: "['updating', 'deleting'].includes(state.toLowerCase())",
    foundBy: { unit: 'packages/azure/arm/provisioning' },
  },
  {
    name: 'a resource whose making was canceled counts as made',
    file: 'packages/azure/arm/provisioning.ts',
    find: "new Set(['failed', 'canceled'])",
    replace: "new Set(['failed'])",
    foundBy: { unit: 'packages/azure/arm/provisioning' },
  },
  {
    name: 'a resource that Azure failed to make is left as it is',
    file: 'packages/azure/service-gateway/cloud/plan.ts',
    find: "if (known.state !== 'present' || hasFailed(known.body)) return false;",
    replace: "if (known.state !== 'present') return false;",
    foundBy: { unit: 'packages/azure/service-gateway/cloud/plan.test.ts' },
  },
  {
    name: 'what is missing is believed to be there at the next attempt',
    file: 'packages/azure/service-gateway/cloud/service-updater.ts',
    find: 'if (isMissing) repository.markUnknown(key);',
    replace: "if (isMissing && operation.kind === 'delete') repository.markUnknown(key);",
    foundBy: { unit: 'packages/azure/service-gateway/cloud/service-updater.test.ts' },
  },
  {
    name: 'registrations that came during a call are left waiting',
    file: 'packages/azure/service-gateway/cloud/registration-batcher.ts',
    find: `      else resolve();
    }
    this.consider();
`,
    replace: `      else resolve();
    }
`,
    foundBy: { unit: 'packages/azure/service-gateway/cloud/registration-batcher.test.ts' },
  },
  {
    name: 'a service that Azure lost comes back without its endpoints',
    file: 'packages/azure/service-gateway/engine/engine.ts',
    find: `    if (isWanted(next)) {
      const endpoints = this.tracker.k8sEndpoints(key);
      if (endpoints.size > 0) this.#pendingEndpoints.set(key, endpoints);
    } else {
      this.#pendingEndpoints.delete(key);
    }`,
    replace: '    if (!isWanted(next)) this.#pendingEndpoints.delete(key);',
    foundBy: { unit: 'packages/azure/service-gateway/cloud/comparison.test.ts' },
  },
  {
    name: 'the number of a named port is that of endpoints that are not ready',
    file: 'packages/azure/service-gateway/cluster/target-ports.ts',
    find: 'for (const endpoint of ready.length > 0 ? ready : endpoints) {',
    replace: 'for (const endpoint of ready.length > 0 ? endpoints : ready) {',
    foundBy: { unit: 'packages/azure/service-gateway/cluster/target-ports.test.ts' },
  },
  {
    name: 'a public address is put on a second load balancer before it left the first',
    file: 'packages/azure/local-backends/load-balancers/plan.ts',
    find: 'if (index.isAnywhere(target.mark, loadBalancer)) return undefined;',
    replace: "if (index.isAnywhere(target.mark, loadBalancer) && target.wanted.scope !== 'public') return undefined;",
    foundBy: { unit: 'packages/azure/local-backends/load-balancers/plan.test.ts' },
  },
  {
    name: 'the IPv4 source ranges guard the IPv6 address',
    file: 'packages/azure/local-backends/load-balancers/request-bodies/security-rules.ts',
    find: 'const ranges = sourceRanges[family];',
    replace: 'const ranges = sourceRanges.IPv4;',
    foundBy: { unit: 'packages/azure/local-backends/load-balancers/request-bodies/security-rules.test.ts' },
  },
  {
    name: 'the shorter of two waits counts for a pool',
    file: 'packages/azure/local-backends/backend-pools/operation-queue.ts',
    find: 'nextEligibleAt: waits.length === 0 ? undefined : Math.max(...waits),',
    replace: 'nextEligibleAt: waits.length === 0 ? undefined : Math.min(...waits),',
    foundBy: { unit: 'packages/azure/local-backends/backend-pools/operation-queue.test.ts' },
  },
  {
    name: 'an entry that was taken over keeps its name',
    file: 'packages/azure/local-backends/backend-pools/pool-entries.ts',
    find: 'return isEntryName(entry.name) ? [entry] : [{ ...entry, name: entryName(address) }];',
    replace: 'return [entry];',
    foundBy: { unit: 'packages/azure/local-backends/backend-pools/pool-entries.test.ts' },
  },
  {
    name: 'Services that are placed together do not count for each other',
    file: 'packages/azure/local-backends/load-balancers/placement.ts',
    find: '    count(name, more);\n',
    replace: '',
    foundBy: { unit: 'packages/azure/local-backends/controller.test.ts' },
  },
  {
    name: 'a lock that was renewed counts from when the answer came',
    file: 'packages/azure/local-backends/azure-resource-locker.ts',
    find: `      const startedAt = clock.monotonic();
      lease = await this.#write(lease, { spec: { renewTime: this.#now() } }, this.#whileLeading(stepSignal));
      renewedAt = startedAt;
`,
    replace: `      lease = await this.#write(lease, { spec: { renewTime: this.#now() } }, this.#whileLeading(stepSignal));
      renewedAt = clock.monotonic();
`,
    foundBy: { unit: 'packages/azure/local-backends/azure-resource-locker.test.ts' },
  },
  {
    name: 'a Service that is doubted is settled as soon as it is asked for',
    file: 'packages/azure/local-backends/load-balancers/settled-services.ts',
    find: 'return settled?.version === metadata.resourceVersion && settled?.isDoubted === false;',
    replace: 'return settled?.version === metadata.resourceVersion;',
    foundBy: { unit: 'packages/azure/local-backends/failures.test.ts' },
  },
];
