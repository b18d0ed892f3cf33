import { keyText } from '@fairlead/kube';
import type { Explanation, Subject } from '@fairlead/part';
import { type Desired, likelyFamily } from './desired.ts';
import { publicIpId } from './gateway-scope.ts';
import { assignedAddress } from './inventory.ts';
import { subjectOf } from './part-plan.ts';
import { failureOf } from './retry-policy.ts';
import { EGRESS_LABEL, type InboundKey, nrpName, podUid, type ServiceKey } from './service-key.ts';
import { planCreation, writesOfCreation } from './service-plan.ts';
import { isInboundSpec, type ServiceSpec } from './service-spec.ts';
import { type Failure, isLive, specOf } from './service-state.ts';
import type { Survey } from './survey.ts';

/** Why a Service or a pod is as it is; undefined when we have nothing to do with it. */
export function explain(survey: Survey, subject: Subject): Explanation | undefined {
  const name = keyText(subject);
  if (subject.kind === 'service') {
    const desired = survey.services.get(name);
    return desired === undefined ? undefined : explainService(survey, `Service ${name}`, desired);
  }
  if (subject.kind === 'pod') return explainPod(survey, name);
  return undefined;
}

function explainService(survey: Survey, subject: string, desired: Desired): Explanation {
  const { claim, key } = desired;
  const there = thereFor(survey, key, desired);
  switch (desired.kind) {
    case 'foreign':
      return {
        answer: `${subject} is not served by the Azure service gateway: ${claim.sentence}.`,
        state: 'not-ours',
        wanted: [],
        there: [],
      };
    case 'release':
      return {
        answer: `${subject} is being let go: ${claim.sentence}.`,
        state: 'working',
        wanted: ['nothing in Azure, and no finalizer of ours'],
        there,
        waitsFor: 'its addresses to leave the gateway, then its load balancer and public address to be deleted',
      };
    case 'refused':
      return refusal(subject, desired.error.code, desired.error.message, there);
    case 'serve':
      return explainServed(survey, subject, key, there);
  }
}

function explainServed(survey: Survey, subject: string, key: InboundKey, there: readonly string[]): Explanation {
  const { engine, repository } = survey;
  const state = engine.state(key);
  if (state?.kind === 'Parked') return refusal(subject, state.failure.code, state.failure.message, there);
  const spec = specOf(state);
  const wanted = spec === undefined ? [] : wantedFor(survey, key, spec);
  const writes = spec === undefined ? 0 : plannedWrites(survey, spec);
  if (typeof writes !== 'number') return refusal(subject, writes.code, writes.message, there);
  const addresses = survey.engine.tracker.locationChanges().filter(({ inbound }) => inbound.includes(key)).length;
  const waiting = (engine.pendingEndpoints(key)?.size ?? 0) + addresses;
  if (writes > 0) {
    const waitsFor = `the leader to make ${writes} writes to Azure`;
    return { answer: `${subject} is not as wanted in Azure yet.`, state: 'working', wanted, there, waitsFor };
  }
  if (waiting > 0) {
    const waitsFor = `the leader to update ${waiting} addresses`;
    return { answer: `${subject} is there; some endpoints are not.`, state: 'working', wanted, there, waitsFor };
  }
  const endpoints = engine.tracker.locationCount(key);
  const ip = repository.knownAddress(key, 'IPv4') ?? repository.knownAddress(key, 'IPv6') ?? 'no address yet';
  const answer = `${subject} is reachable at ${ip}, with ${endpoints} endpoints.`;
  return { answer, state: 'as-wanted', wanted, there };
}

function explainPod(survey: Survey, name: string): Explanation | undefined {
  const pod = survey.pods.get(name);
  if (pod === undefined) return undefined;
  const { engine, refusedPods } = survey;
  const uid = podUid(pod.metadata.uid ?? '');
  const label = pod.metadata.labels?.[EGRESS_LABEL] ?? '';
  const wanted = [`the egress gateway ${label.toLowerCase()}, because of its label ${EGRESS_LABEL}`];
  const refused = refusedPods.get(uid);
  if (refused !== undefined) return refusal(`Pod ${name}`, 'egress-refused', refused, []);
  const egress = engine.tracker.pods.egressOf(uid);
  if (egress === undefined) {
    const answer = `Pod ${name} has no egress gateway: it has ended, or has no address on a node that is known.`;
    return { answer, state: 'working', wanted, there: [], waitsFor: 'an address, and its node' };
  }
  const state = engine.state(egress);
  const there = publicAddresses(survey, egress).map((ip) => `${ip} as address of ${nrpName(egress)}`);
  const gateway = subjectOf(survey, egress);
  if (state?.kind === 'Parked') return refusal(`Pod ${name}`, state.failure.code, state.failure.message, there);
  if (!isLive(state)) {
    const answer = `Pod ${name} waits for its ${gateway}.`;
    return { answer, state: 'working', wanted, there, waitsFor: `the ${gateway} to be made` };
  }
  const pending = engine.tracker.locationChanges().filter(({ pods }) => pods.includes(uid));
  if (pending.length > 0) {
    const answer = `Pod ${name} is not all behind its ${gateway} yet.`;
    const waitsFor = `the leader to update ${pending.length} addresses`;
    return { answer, state: 'working', wanted, there, waitsFor };
  }
  return { answer: `Pod ${name} leaves by its ${gateway}.`, state: 'as-wanted', wanted, there };
}

function refusal(subject: string, code: string, message: string, there: readonly string[]): Explanation {
  return {
    answer: `${subject} is not served as it asks (${code}): ${message}`,
    state: 'stuck',
    wanted: [],
    there,
    waitsFor: 'a change of what it asks for; what is there of it goes on as it was',
  };
}

function wantedFor({ engine }: Survey, key: InboundKey, spec: ServiceSpec): readonly string[] {
  if (!isInboundSpec(spec)) return [];
  const ports = spec.ports.map(({ protocol, port, targetPort }) => `${protocol}/${port} to ${targetPort}`);
  const endpoints = engine.tracker.k8sEndpoints(key).size + (engine.pendingEndpoints(key)?.size ?? 0);
  return [`an ${spec.family} address with ${ports.join(', ') || 'no port yet'}`, `${endpoints} endpoints`];
}

function thereFor(survey: Survey, key: InboundKey, { claim }: Desired): readonly string[] {
  const { scope, inventory } = survey.repository;
  const family = likelyFamily(claim.service);
  const address = assignedAddress(inventory.find('publicIPAddresses', publicIpId(scope, key, family)))?.address;
  const registered = inventory.registration(key).state === 'present';
  return [
    ...(address === undefined ? ['no public address'] : [`the public address ${address}`]),
    registered ? 'registered with the service gateway' : 'not registered with the service gateway',
    `${survey.engine.tracker.locationCount(key)} addresses in the gateway`,
  ];
}

function publicAddresses({ repository }: Survey, key: ServiceKey): readonly string[] {
  return (['IPv4', 'IPv6'] as const).flatMap((family) => repository.knownAddress(key, family) ?? []);
}

/** How many writes are missing; or why they cannot be made. */
function plannedWrites({ repository }: Survey, spec: ServiceSpec): number | Failure {
  try {
    return writesOfCreation(planCreation(repository.scope, spec, repository.inventory));
  } catch (error) {
    return failureOf(error);
  }
}
