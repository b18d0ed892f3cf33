import { type JsonObject, objectOf, textOf, without } from '../../json.ts';
import { checkPoolProtocol } from './listeners.ts';
import { checkMonitor, checkPool } from './providers.ts';
import { conflict, failed, invalidRequest, missing } from './refusals.ts';
import type { OctaviaWorld } from './world.ts';

const CONNECTIONLESS = ['UDP', 'SCTP'];

/** Adds a pool that may be added; throws when it may not. */
export function addPool(world: OctaviaWorld, loadBalancer: JsonObject, fields: JsonObject): JsonObject {
  checkPool(textOf(loadBalancer['provider']), fields);
  return world.store.add('pools', {
    ...without(fields, 'members', 'healthmonitor', 'listener_id', 'tenant_id'),
    session_persistence: persistenceOf(fields),
    project_id: loadBalancer['project_id'] ?? '',
    loadbalancer_id: textOf(loadBalancer['id']),
    provisioning_status: 'PENDING_CREATE',
    operating_status: 'OFFLINE',
  });
}

/** `POST /pools`: of a load balancer, or of a listener whose default pool it becomes. */
export function createPool(world: OctaviaWorld, fields: JsonObject): JsonObject {
  const listenerId = textOf(fields['listener_id']);
  const listener = listenerId === '' ? undefined : world.store.find('listeners', listenerId);
  if (listenerId !== '' && listener === undefined) {
    throw failed("'NoneType' object has no attribute 'load_balancer_id'");
  }
  const loadBalancerId = textOf(fields['loadbalancer_id']) || textOf(listener?.['loadbalancer_id']);
  if (loadBalancerId === '') throw invalidRequest('Must provide at least one of: loadbalancer_id, listener_id');
  const loadBalancer = world.store.find('loadbalancers', loadBalancerId);
  if (loadBalancer === undefined) throw missing('loadbalancers', loadBalancerId);
  if (listener !== undefined) checkPoolProtocol(textOf(listener['protocol']), textOf(fields['protocol']));
  checkPersistence(textOf(fields['protocol']), fields);
  world.checkQuota(textOf(loadBalancer['project_id']), 'pools');
  if (textOf(listener?.['default_pool_id']) !== '') throw conflict('This listener already has a default pool');
  world.lock(loadBalancerId, listener === undefined ? [] : [listener]);
  const pool = addPool(world, loadBalancer, fields);
  if (listener !== undefined) world.store.change('listeners', listenerId, { default_pool_id: textOf(pool['id']) });
  return pool;
}

export function changePool(world: OctaviaWorld, pool: JsonObject, fields: JsonObject): JsonObject {
  const loadBalancerId = textOf(pool['loadbalancer_id']);
  checkPersistence(textOf(pool['protocol']), fields);
  world.lock(loadBalancerId, world.store.listenersWith(textOf(pool['id'])));
  const { provider = '' } = objectOf(world.store.find('loadbalancers', loadBalancerId));
  checkPool(textOf(provider), { ...pool, ...fields });
  const persistence = fields['session_persistence'] === undefined ? {} : { session_persistence: persistenceOf(fields) };
  const pending = { provisioning_status: 'PENDING_UPDATE' };
  return world.store.change('pools', textOf(pool['id']), { ...fields, ...persistence, ...pending });
}

/** Adds a health monitor that may be added; throws when it may not. */
export function addMonitor(world: OctaviaWorld, pool: JsonObject, fields: JsonObject): JsonObject {
  const [type, protocol] = [textOf(fields['type']), textOf(pool['protocol'])];
  const { provider = '' } = objectOf(world.store.find('loadbalancers', textOf(pool['loadbalancer_id'])));
  if (!CONNECTIONLESS.includes(protocol) && (type === 'UDP-CONNECT' || type === 'SCTP')) {
    throw invalidRequest(`The ${type} type is only supported for pools of type UDP/SCTP.`);
  }
  checkMonitor(textOf(provider), fields);
  return world.store.add('healthmonitors', {
    ...without(fields, 'tenant_id'),
    ...(type === 'HTTP' || type === 'HTTPS' ? httpDefaults(fields) : {}),
    project_id: pool['project_id'] ?? '',
    pool_id: textOf(pool['id']),
    provisioning_status: 'PENDING_CREATE',
    operating_status: 'OFFLINE',
  });
}

function httpDefaults({ http_method, url_path, expected_codes }: JsonObject): JsonObject {
  return { http_method: http_method ?? 'GET', url_path: url_path ?? '/', expected_codes: expected_codes ?? '200' };
}

function checkPersistence(protocol: string, fields: JsonObject): void {
  const { type, persistence_timeout, persistence_granularity } = objectOf(fields['session_persistence']);
  if (!CONNECTIONLESS.includes(protocol)) {
    if ((persistence_timeout ?? persistence_granularity ?? null) === null) return;
    throw invalidRequest('persistence_timeout and persistence_granularity is only for UDP and SCTP protocol pools.');
  }
  if (type !== 'HTTP_COOKIE' && type !== 'APP_COOKIE') return;
  throw invalidRequest(`Session persistence of type ${type} is not supported for UDP/SCTP protocol pools.`);
}

function persistenceOf(fields: JsonObject) {
  const given = objectOf(fields['session_persistence']);
  if (given['type'] === undefined) return null;
  return { cookie_name: null, persistence_timeout: null, persistence_granularity: null, ...given };
}
