import { keyText, type Service } from '@fairlead/kube';
import type { Explanation, Subject } from '@fairlead/part';
import {
  type ClaimedService,
  explainUnserved,
  pendingWrites,
  type UnservedExplanationOptions,
} from '@fairlead/service';
import { registrationText, stepText } from '../cloud/step-texts.ts';
import { type Desired, likelyFamily, nrpKeyOf } from '../cluster/desired.ts';
import { EGRESS_LABEL, type InboundKey, nrpName, podUid } from '../engine/nrp-key.ts';
import { isInboundSpec, type ServiceSpec } from '../engine/service-spec.ts';
import { isLive, specOf } from '../engine/service-state.ts';
import { dryRun, NOTHING } from './dry-run.ts';
import { subjectOf } from './part-plan.ts';
import type { Snapshot } from './snapshot.ts';

/** Why a Service or a pod is as it is; undefined when we have nothing to do with it. */
export function explain(snapshot: Snapshot, subject: Subject): Explanation | undefined {
  const name = keyText(subject);
  if (subject.kind === 'service') {
    const desired = snapshot.services.get(name);
    return desired === undefined ? undefined : explainService(snapshot, `Service ${name}`, desired);
  }
  if (subject.kind === 'pod') return explainPod(snapshot, name);
  return undefined;
}

function explainService(snapshot: Snapshot, subject: string, desired: Desired): Explanation {
  const options = {
    subject,
    servedBy: 'the Azure service gateway',
    there: thereFor(snapshot, desired.claim.service),
    ...(desired.kind === 'release' ? { waitsFor: RELEASE } : {}),
  };
  return desired.kind === 'serve' ? explainServed(snapshot, desired.claim, options) : explainUnserved(desired, options);
}

const RELEASE = 'its addresses to leave the gateway, then its load balancer and public address to be deleted';

function explainServed(snapshot: Snapshot, claim: ClaimedService, options: UnservedExplanationOptions): Explanation {
  const { engine, repository } = snapshot;
  const { subject, there = [] } = options;
  const key = nrpKeyOf(claim.service);
  const state = engine.state(key);
  const spec = specOf(state);
  const wanted = spec === undefined ? [] : wantedFor(snapshot, key, spec);
  const { outcome, hold, azure, registration, publish } = state === undefined ? NOTHING : dryRun(snapshot, key, state);
  if (typeof outcome === 'object') return explainUnserved({ kind: 'refuse', claim, refusal: outcome }, options);
  const registered = registration === undefined ? [] : [registrationText(registration)];
  const writes = [...hold, ...azure.map(stepText), ...registered, ...publish];
  const waitsFor = pendingWrites(writes);
  if (waitsFor !== undefined) {
    return { answer: `${subject} is not as wanted yet.`, state: 'working', wanted, there, waitsFor };
  }
  const addresses = engine.tracker.locationChanges().filter(({ inbound }) => inbound.includes(key)).length;
  const waiting = (engine.pendingEndpoints(key)?.size ?? 0) + addresses;
  if (waiting > 0) {
    const answer = `${subject} is there; some endpoints are not.`;
    return { answer, state: 'working', wanted, there, waitsFor: `the leader to update ${waiting} addresses` };
  }
  const endpoints = engine.tracker.locationCount(key);
  const [ip = 'no address yet'] = repository.knownAddresses(key);
  const answer = `${subject} is reachable at ${ip}, with ${endpoints} endpoints.`;
  return { answer, state: 'as-wanted', wanted, there };
}

function explainPod(snapshot: Snapshot, name: string): Explanation | undefined {
  const pod = snapshot.pods.get(name);
  if (pod === undefined) return undefined;
  const { engine, refusedPods } = snapshot;
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
  const there = snapshot.repository.knownAddresses(egress).map((ip) => `${ip} as address of ${nrpName(egress)}`);
  const gateway = subjectOf(snapshot, egress);
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

function wantedFor({ engine }: Snapshot, key: InboundKey, spec: ServiceSpec): readonly string[] {
  if (!isInboundSpec(spec)) return [];
  const ports = spec.ports.map(({ protocol, port, targetPort }) => `${protocol}/${port} to ${targetPort}`);
  const endpoints = engine.tracker.k8sEndpoints(key).size + (engine.pendingEndpoints(key)?.size ?? 0);
  return [`an ${spec.family} address with ${ports.join(', ') || 'no port yet'}`, `${endpoints} endpoints`];
}

function thereFor({ engine, repository }: Snapshot, service: Service): readonly string[] {
  const key = nrpKeyOf(service);
  const address = repository.knownAddress(key, likelyFamily(service));
  const registered = repository.inventory.registration(key).state === 'present';
  return [
    ...(address === undefined ? ['no public address'] : [`the public address ${address}`]),
    registered ? 'registered with the service gateway' : 'not registered with the service gateway',
    `${engine.tracker.locationCount(key)} addresses in the gateway`,
  ];
}
