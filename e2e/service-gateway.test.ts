import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EGRESS_LABEL, eventually, type HeldCall, type RunningFairlead, ServiceGatewayStage } from './harness/index.ts';

const POD_FINALIZER = 'servicegateway.azure.com/pod-cleanup';
const SERVICE_FINALIZERS = [
  'fairlead.dev/azure-service-gateway',
  'servicegateway.azure.com/service-cleanup',
  'service.kubernetes.io/load-balancer-cleanup',
];
const SLICES = 'endpointslices.discovery.k8s.io';
/** A Service that is long gone. */
const LOST = '11111111-2222-3333-4444-555555555555';

/*
 * The sequence diagrams of the ServiceGateway architecture. Each phase is a test of its own and begins where the one
 * before it ended; calls are stopped on their way to Azure to see what is, and what is not yet, at that moment.
 */

describe('Inbound Service Lifecycle (LoadBalancer)', () => {
  let stage: ServiceGatewayStage;
  let leader: RunningFairlead;
  let uid: string;
  let creatingAddress: HeldCall;
  let syncing: HeldCall;

  beforeAll(async () => {
    stage = await ServiceGatewayStage.open();
    leader = await stage.startReady();
    await stage.playPod('web-1', 'node-1', '10.1.0.1', { app: 'web' });
    await stage.playPod('web-2', 'node-2', '10.1.0.2', { app: 'web' });
  });

  afterAll(() => stage.close());

  const states = () => stage.statesOf(leader, `service/${stage.namespace}/web`);
  const slicesSeen = () => stage.cacheCount(leader, 'watch_events_total', SLICES);

  it('Phase 1 and 2: Service Creation Request; Endpoints Arrive (during creation)', async () => {
    creatingAddress = stage.azure.hold('PUT', 'publicIPAddresses');
    const seenBefore = await slicesSeen();
    uid = (await stage.createService('web')).metadata.uid ?? '';
    await creatingAddress.arrived();
    const service = await stage.findService('web');
    expect(service?.metadata.finalizers).toEqual(SERVICE_FINALIZERS);
    expect(service?.status?.loadBalancer).toEqual({});
    expect(await states()).toEqual(['NotStarted', 'CreationInProgress']);

    await eventually(async () => (await slicesSeen()) > seenBefore, { describe: 'the endpoints to be seen' });
    expect(stage.takeWrites()).toEqual([]);
  });

  it('Phase 3: Async Resource Creation', async () => {
    syncing = stage.azure.hold('POST', 'updateAddressLocations');
    creatingAddress.release();
    expect(await stage.nextWrites(3)).toEqual([
      `PUT publicIPAddresses/${uid}-pip 201`,
      `PUT loadBalancers/${uid} 201`,
      `POST updateServices/fairlead 200: +${uid}`,
    ]);
    const { emulator } = stage.azure;
    expect(emulator.resource(stage.azure.idOf('loadBalancers', uid))).toMatchObject({ sku: { name: 'Service' } });
  });

  it('Phase 4: Buffer Promotion', async () => {
    await syncing.arrived();
    expect(await states()).toEqual(['NotStarted', 'CreationInProgress', 'Created']);
    const ipAddress = await stage.addressOf('web');
    const publicAddress = stage.azure.emulator.resource(stage.azure.idOf('publicIPAddresses', `${uid}-pip`));
    expect(publicAddress).toMatchObject({ properties: { ipAddress } });
    expect(stage.located).toEqual([]);
  });

  it('Phase 5: Location Sync to NRP', async () => {
    syncing.release();
    expect(await stage.nextWrites(1)).toEqual([
      `POST updateAddressLocations/fairlead 200: 10.0.0.11[10.1.0.1=${uid}]; 10.0.0.12[10.1.0.2=${uid}]`,
    ]);
    expect(stage.located).toEqual([`10.1.0.1@10.0.0.11=${uid}`, `10.1.0.2@10.0.0.12=${uid}`]);
  });

  it('Phase 6: Runtime Endpoint Updates', async () => {
    await stage.playPod('web-3', 'node-2', '10.1.0.3', { app: 'web' });
    expect(await stage.nextWrites(1)).toEqual([`POST updateAddressLocations/fairlead 200: 10.0.0.12[10.1.0.3=${uid}]`]);
    await stage.endPod('web-3');
    expect(await stage.nextWrites(1)).toEqual(['POST updateAddressLocations/fairlead 200: 10.0.0.12[-10.1.0.3]']);
  });

  it('Phase 7: Service Deletion', async () => {
    const clearing = stage.azure.hold('POST', 'updateAddressLocations');
    const unregistering = stage.azure.hold('POST', 'updateServices');
    const deletingAddress = stage.azure.hold('DELETE', 'publicIPAddresses');
    await stage.deleteService('web');
    await clearing.arrived();
    expect((await states()).at(-1)).toBe('DeletionPending');
    expect(stage.takeWrites()).toEqual([]);

    clearing.release();
    await unregistering.arrived();
    expect((await states()).at(-1)).toBe('DeletionInProgress');
    expect(stage.located).toEqual([]);

    unregistering.release();
    await deletingAddress.arrived();
    expect(stage.takeWrites()).toEqual([
      'POST updateAddressLocations/fairlead 200: 10.0.0.11[-10.1.0.1]; 10.0.0.12[-10.1.0.2]',
      `POST updateServices/fairlead 200: -${uid}`,
      `DELETE loadBalancers/${uid} 202`,
    ]);
    expect((await stage.findService('web'))?.metadata.finalizers).toEqual(SERVICE_FINALIZERS);

    deletingAddress.release();
    expect(await stage.nextWrites(1)).toEqual([`DELETE publicIPAddresses/${uid}-pip 202`]);
    await stage.untilServiceGone('web');
    expect((await states()).at(-1)).toBe('gone');
    // Held, told its address; told that it has none, let go.
    expect(await stage.serviceWrites()).toEqual([
      'patch services',
      'patch services/status',
      'patch services/status',
      'patch services',
    ]);
    stage.azure.emulator.assertConsistent();
  });

  it('Phase 7, no locations exist in NRP: nothing to wait for', async () => {
    uid = (await stage.createService('empty')).metadata.uid ?? '';
    await stage.addressOf('empty');
    stage.takeWrites();
    await stage.deleteService('empty');
    await stage.untilServiceGone('empty');
    expect(stage.takeWrites()).toEqual([
      `POST updateServices/fairlead 200: -${uid}`,
      `DELETE loadBalancers/${uid} 202`,
      `DELETE publicIPAddresses/${uid}-pip 202`,
    ]);
  });
});

describe('Outbound Pod Lifecycle (NAT Gateway for Egress)', () => {
  let stage: ServiceGatewayStage;
  let leader: RunningFairlead;
  let creatingAddress: HeldCall;
  let syncing: HeldCall;

  beforeAll(async () => {
    stage = await ServiceGatewayStage.open();
    leader = await stage.startReady();
  });

  afterAll(() => stage.close());

  const states = () => stage.statesOf(leader, 'egress/my-egress');
  const finalizersOf = async (name: string) => (await stage.findPod(name))?.metadata.finalizers;
  const untilHeld = (name: string) =>
    eventually(async () => (await finalizersOf(name))?.includes(POD_FINALIZER), { describe: `${name} to be held` });

  it('Phase 1: First Pod - Triggers NAT Gateway Creation', async () => {
    creatingAddress = stage.azure.hold('PUT', 'publicIPAddresses');
    await stage.playPod('pod-1', 'node-1', '10.2.0.1', { [EGRESS_LABEL]: 'my-egress' });
    await creatingAddress.arrived();
    await untilHeld('pod-1');
    expect(await states()).toEqual(['NotStarted', 'CreationInProgress']);
    expect(stage.takeWrites()).toEqual([]);
  });

  it('Phase 2: Async NAT Gateway Creation', async () => {
    syncing = stage.azure.hold('POST', 'updateAddressLocations');
    creatingAddress.release();
    expect(await stage.nextWrites(3)).toEqual([
      'PUT publicIPAddresses/my-egress-pip 201',
      'PUT natGateways/my-egress 201',
      'POST updateServices/fairlead 200: +my-egress',
    ]);
    const made = stage.azure.emulator.resource(stage.azure.idOf('natGateways', 'my-egress'));
    expect(made).toMatchObject({ sku: { name: 'StandardV2' } });
  });

  it('Phase 3: Buffer Promotion', async () => {
    await syncing.arrived();
    expect(await states()).toEqual(['NotStarted', 'CreationInProgress', 'Created']);
    expect(stage.located).toEqual([]);
  });

  it('Phase 4: Location Sync', async () => {
    syncing.release();
    expect(await stage.nextWrites(1)).toEqual([
      'POST updateAddressLocations/fairlead 200: 10.0.0.11[10.2.0.1=my-egress]',
    ]);
  });

  it('Phase 5: Subsequent Pods (NAT exists)', async () => {
    await stage.playPod('pod-2', 'node-2', '10.2.0.2', { [EGRESS_LABEL]: 'my-egress' });
    expect(await stage.nextWrites(1)).toEqual([
      'POST updateAddressLocations/fairlead 200: 10.0.0.12[10.2.0.2=my-egress]',
    ]);
    await untilHeld('pod-2');
  });

  it('Phase 6: Pod Deletion (not last)', async () => {
    const removing = stage.azure.hold('POST', 'updateAddressLocations');
    await stage.endPod('pod-2');
    await removing.arrived();
    expect(await finalizersOf('pod-2')).toEqual([POD_FINALIZER]);
    removing.release();
    expect(await stage.nextWrites(1)).toEqual(['POST updateAddressLocations/fairlead 200: 10.0.0.12[-10.2.0.2]']);
    await stage.untilPodGone('pod-2');
    expect((await states()).at(-1)).toBe('Created');
  });

  it('Phase 7: Last Pod Deletion - NAT Gateway Cleanup', async () => {
    const clearing = stage.azure.hold('POST', 'updateAddressLocations');
    await stage.endPod('pod-1');
    await clearing.arrived();
    expect((await states()).at(-1)).toBe('DeletionPending');
    expect(await finalizersOf('pod-1')).toEqual([POD_FINALIZER]);
    clearing.release();
    expect(await stage.nextWrites(5)).toEqual([
      'POST updateAddressLocations/fairlead 200: 10.0.0.11[-10.2.0.1]',
      'POST updateServices/fairlead 200: -my-egress',
      'PUT natGateways/my-egress 200',
      'DELETE natGateways/my-egress 202',
      'DELETE publicIPAddresses/my-egress-pip 202',
    ]);
    await stage.untilPodGone('pod-1');
    await eventually(async () => (await states()).at(-1) === 'gone', { describe: 'all state to be cleaned up' });
  });

  it('Phase 8: Pod Label Change (optional)', async () => {
    await stage.playPod('pod-3', 'node-1', '10.2.0.3', { [EGRESS_LABEL]: 'my-egress' });
    await stage.nextWrites(4);
    await untilHeld('pod-3');
    const moving = stage.azure.hold('POST', 'updateAddressLocations');
    await stage.relabelPod('pod-3', 'other-egress');
    await moving.arrived();
    expect(stage.located).toEqual(['10.2.0.3@10.0.0.11=my-egress']);
    moving.release();
    expect(await stage.nextWrites(8)).toEqual([
      'PUT publicIPAddresses/other-egress-pip 201',
      'PUT natGateways/other-egress 201',
      'POST updateServices/fairlead 200: +other-egress',
      'POST updateAddressLocations/fairlead 200: 10.0.0.11[10.2.0.3=other-egress]',
      'POST updateServices/fairlead 200: -my-egress',
      'PUT natGateways/my-egress 200',
      'DELETE natGateways/my-egress 202',
      'DELETE publicIPAddresses/my-egress-pip 202',
    ]);
    expect(await finalizersOf('pod-3')).toEqual([POD_FINALIZER]);
    stage.azure.emulator.assertConsistent();
  });
});

describe('CCM Initialization (ServiceGatewayEnabled=true)', () => {
  let stage: ServiceGatewayStage;
  let leader: RunningFairlead;
  let creating: HeldCall;
  let kept: string;
  let doomed: string;
  let fresh: string;

  beforeAll(async () => {
    stage = await ServiceGatewayStage.open();
    kept = (await stage.createService('kept')).metadata.uid ?? '';
    await stage.playPod('kept-1', 'node-1', '10.1.0.1', { app: 'kept', [EGRESS_LABEL]: 'kept-egress' });
    doomed = (await stage.createService('doomed')).metadata.uid ?? '';
    await stage.playPod('doomed-1', 'node-2', '10.1.0.2', { app: 'doomed' });
  });

  afterAll(() => stage.close());

  const calls = () => stage.azure.emulator.log.lines(stage.azure.emulator.log.calls);
  const addressId = (name: string) => stage.azure.idOf('publicIPAddresses', name);

  /** While no replica leads, a Service is torn out, another and an egress pod come, and addresses are left behind. */
  const changeTheWorld = async () => {
    await stage.tearOutService('doomed');
    fresh = (await stage.createService('fresh')).metadata.uid ?? '';
    await stage.playPod('fresh-1', 'node-2', '10.1.0.3', { app: 'fresh' });
    await stage.playPod('newcomer', 'node-1', '10.2.0.1', { [EGRESS_LABEL]: 'new-egress' });
    stage.leaveAddress(LOST, `${doomed}-pip`);
    stage.putAddress('operators-pip');
  };

  it("Phase 1 and 2: CCM Startup; ServiceGateway Setup, when it doesn't exist", async () => {
    const creatingGateway = stage.azure.hold('PUT', 'serviceGateways');
    leader = await stage.start();
    await creatingGateway.arrived();
    expect(calls()).toEqual(['GET serviceGateways/fairlead 404 ResourceNotFound']);
    expect((await stage.readiness(leader)).text).toBe('azure-service-gateway: not ready: reading Azure\n');
    creatingGateway.release();
    await stage.untilReady(leader);
    expect(stage.azure.emulator.log.lines().slice(0, 2)).toEqual([
      'PUT serviceGateways/fairlead 201',
      'PUT subnets/net/nodes 200',
    ]);
  });

  it('Phase 10: ensures the default outbound service, after all others', async () => {
    await eventually(() => stage.registered.includes('default-natgw'), { describe: 'the default outbound' });
    expect(stage.takeWrites().slice(-3)).toEqual([
      'PUT publicIPAddresses/default-natgw-pip 201',
      'PUT natGateways/default-natgw 201',
      'POST updateServices/fairlead 200: +default-natgw',
    ]);
    await Promise.all([stage.addressOf('kept'), stage.addressOf('doomed')]);
    expect(stage.registered).toEqual([kept, doomed, 'kept-egress', 'default-natgw'].toSorted());
  });

  it('Phase 2: ServiceGateway Setup, when it already exists', async () => {
    await stage.crash(leader);
    await changeTheWorld();
    stage.takeWrites();
    creating = stage.azure.hold('PUT', 'publicIPAddresses');
    leader = await stage.start();
    await creating.arrived();
    expect(calls().slice(0, 2)).toEqual(['GET serviceGateways/fairlead 200', 'GET subnets/net/nodes 200']);
  });

  it.each(['services', SLICES, `pods?labelSelector=${EGRESS_LABEL}`])('Phase 3: Build K8s State: %s', async (cache) => {
    expect(await stage.cacheCount(leader, 'lists_total', cache)).toBe(1);
  });

  it('Phase 4: Build NRP State', () => {
    expect(calls().slice(2, 7).toSorted()).toEqual([
      'GET addressLocations/fairlead 200',
      'GET loadBalancers 200',
      'GET natGateways 200',
      'GET publicIPAddresses 200',
      'GET services/fairlead 200',
    ]);
  });

  it('Phase 5: Initialize DiffTracker', () => {
    const line = leader.log.find((text) => text.includes('initialized from cluster and Azure')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ create: 2, delete: 1, locations: 1 });
  });

  it('Phase 6 and 7: Start Updater Goroutines; Reconcile Services', async () => {
    const firstState = async (subject: string) => (await stage.statesOf(leader, subject))[0];
    expect(await firstState(`service/${stage.namespace}/fresh`)).toBe('NotStarted');
    expect(await firstState('egress/new-egress')).toBe('NotStarted');
    expect(await firstState(`service/${doomed}`)).toBe('DeletionPending');
  });

  it('Phase 8 and 9: Async Operations Execute; Wait for Completion', async () => {
    expect(await stage.readiness(leader)).toEqual({
      status: 503,
      text: expect.stringContaining('not ready: waiting for the initial sync of'),
    });
    expect(stage.azure.emulator.resource(addressId(`${LOST}-pip`))).toBeDefined();
    creating.release();
    await stage.untilReady(leader);
    await eventually(() => stage.located.some((line) => line.includes(fresh)), { describe: 'all locations' });
    expect(stage.located).toEqual([
      `10.1.0.1@10.0.0.11=${[kept, 'kept-egress'].toSorted().join(',')}`,
      `10.1.0.3@10.0.0.12=${fresh}`,
      '10.2.0.1@10.0.0.11=new-egress',
    ]);
  });

  it('Phase 10: Cleanup & Finalize', async () => {
    const { emulator } = stage.azure;
    const lost = addressId(`${LOST}-pip`);
    await eventually(() => emulator.resource(lost) === undefined, { describe: 'the orphaned address to go' });
    const writes = stage.takeWrites();
    expect(writes.at(-1)).toBe(`DELETE publicIPAddresses/${LOST}-pip 202`);
    const inOrder = (...texts: readonly string[]) =>
      texts
        .map((text) => writes.findIndex((line) => line.includes(text)))
        .map((index, place, all) => index > (all[place - 1] ?? -1));
    expect([
      inOrder(`PUT publicIPAddresses/${fresh}-pip`, `PUT loadBalancers/${fresh}`, ` +${fresh}`, `10.1.0.3=${fresh}`),
      inOrder('PUT publicIPAddresses/new-egress-pip', 'PUT natGateways/new-egress', ' +new-egress', '=new-egress'),
      inOrder('[-10.1.0.2]', ` -${doomed}`, `DELETE loadBalancers/${doomed}`, `DELETE publicIPAddresses/${doomed}-pip`),
    ]).toEqual(Array.from({ length: 3 }, () => [true, true, true, true]));
    expect(writes.filter((line) => line.includes(kept) || line.includes('default-natgw'))).toEqual([]);
    expect(emulator.resource(addressId('operators-pip'))).toBeDefined();
    emulator.assertConsistent();
  });

  it('Runtime: all events now handled by Engine', async () => {
    await stage.createService('later');
    expect(await stage.addressOf('later')).toMatch(/^198\.18\./);
  });
});

describe('the Azure service gateway, when Azure is down', () => {
  let stage: ServiceGatewayStage;

  beforeAll(async () => {
    stage = await ServiceGatewayStage.open();
  });

  afterAll(() => stage.close());

  it('serves, says why the part is not ready, and recovers by itself', async () => {
    const { faults } = stage.azure.emulator;
    faults.next({}, { kind: 'lose-request' }, Number.POSITIVE_INFINITY);
    const leader = await stage.start();
    const { status, text } = await eventually(
      async () => {
        const answer = await stage.readiness(leader);
        return answer.text.includes('Azure cannot be read') && answer;
      },
      { describe: 'the reason' },
    );
    expect(status).toBe(503);
    expect(text).toMatch(/^azure-service-gateway: not ready: Azure cannot be read: GET serviceGateways\/fairlead: /);
    expect((await stage.ask(leader, 'healthz')).status).toBe(200);
    const { metadata } = await stage.createService('patient');
    faults.clear();
    await stage.untilReady(leader);
    await stage.addressOf('patient');
    expect(stage.registered).toContain(metadata.uid);
  });
});
