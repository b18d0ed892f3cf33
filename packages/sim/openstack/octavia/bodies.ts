import { type Json, type JsonObject, textOf, without } from '../../json.ts';
import { unknownFields } from './fields.ts';
import type { OctaviaKind, OctaviaStore } from './store.ts';

/** Fields of listeners and pools that Fairlead never sets. */
const TLS_OF_LISTENERS = {
  client_ca_tls_container_ref: null,
  client_authentication: 'NONE',
  client_crl_container_ref: null,
  tls_ciphers: null,
  tls_versions: null,
  alpn_protocols: null,
  hsts_max_age: null,
  hsts_include_subdomains: false,
  hsts_preload: false,
};
const TLS_OF_POOLS = {
  tls_container_ref: null,
  ca_tls_container_ref: null,
  crl_container_ref: null,
  tls_enabled: false,
  tls_ciphers: null,
  tls_versions: null,
  alpn_protocols: null,
};
/** How the store relates resources, which no answer shows. */
const RELATIONS = ['loadbalancer_id', 'pool_id', 'security_group_id', 'is_port_owner', 'is_forgotten'];

/** How Octavia shows its resources. */
export class Bodies {
  readonly #store: OctaviaStore;
  readonly #minorVersion: () => number;

  constructor(store: OctaviaStore, minorVersion: () => number) {
    this.#store = store;
    this.#minorVersion = minorVersion;
  }

  /** A resource by itself, with the ids of what is next to it. */
  one(kind: OctaviaKind, object: JsonObject): JsonObject {
    return { ...this.#own(kind, object), ...this.#neighbours(kind, object) };
  }

  /** A load balancer with all that is below it, as the answer to its creation has it. */
  populated(loadBalancer: JsonObject): JsonObject {
    const id = textOf(loadBalancer['id']);
    return {
      ...this.#own('loadbalancers', loadBalancer),
      listeners: this.#store.listenersOf(id).map((one) => ({ ...this.#own('listeners', one), l7policies: [] })),
      pools: this.#store.poolsOf(id).map((pool) => this.#populatedPool(pool)),
    };
  }

  /** `GET /loadbalancers/ID/status`. */
  statusTree(loadBalancer: JsonObject): JsonObject {
    const listeners = this.#store.listenersOf(textOf(loadBalancer['id'])).map((listener) => {
      const pool = this.#store.find('pools', textOf(listener['default_pool_id']));
      return { ...statusOf(listener), pools: pool === undefined ? [] : [this.#poolStatus(pool)] };
    });
    return { statuses: { loadbalancer: { ...statusOf(loadBalancer), listeners } } };
  }

  #poolStatus(pool: JsonObject): JsonObject {
    const id = textOf(pool['id']);
    const monitor = this.#store.monitorOf(id);
    const members = this.#store.membersOf(id).map((member) => {
      const { address = '', protocol_port = 0 } = member;
      return { ...statusOf(member), address, protocol_port };
    });
    const health_monitor =
      monitor === undefined ? {} : { health_monitor: { ...statusOf(monitor), type: typeOf(monitor) } };
    return { ...statusOf(pool), ...health_monitor, members };
  }

  #populatedPool(pool: JsonObject): JsonObject {
    const id = textOf(pool['id']);
    const monitor = this.#store.monitorOf(id);
    return {
      ...this.#own('pools', pool),
      listeners: this.#store.listenersWith(id).map(reference),
      members: this.#store.membersOf(id).map((member) => this.#own('members', member)),
      healthmonitor: monitor === undefined ? null : this.#own('healthmonitors', monitor),
    };
  }

  #own(kind: OctaviaKind, object: JsonObject): JsonObject {
    const own = without(object, ...RELATIONS, ...unknownFields(kind, this.#minorVersion()));
    if (kind === 'flavors') return without(own, 'created_at', 'updated_at');
    const owner = { tenant_id: object['project_id'] ?? '' };
    if (kind === 'listeners') return { ...TLS_OF_LISTENERS, ...own, ...owner };
    return kind === 'pools' ? { ...TLS_OF_POOLS, ...own, ...owner } : { ...own, ...owner };
  }

  #neighbours(kind: OctaviaKind, object: JsonObject): JsonObject {
    const id = textOf(object['id']);
    const loadbalancers = [{ id: textOf(object['loadbalancer_id']) }];
    if (kind === 'loadbalancers') {
      return {
        listeners: this.#store.listenersOf(id).map(reference),
        pools: this.#store.poolsOf(id).map(reference),
      };
    }
    if (kind === 'listeners') return { loadbalancers, l7policies: [] };
    if (kind === 'pools') {
      const monitor = this.#store.monitorOf(id);
      return {
        loadbalancers,
        listeners: this.#store.listenersWith(id).map(reference),
        members: this.#store.membersOf(id).map(reference),
        ...(monitor === undefined ? {} : { healthmonitor_id: textOf(monitor['id']) }),
      };
    }
    return kind === 'healthmonitors' ? { pools: [{ id: textOf(object['pool_id']) }] } : {};
  }
}

function reference(object: JsonObject): JsonObject {
  return { id: textOf(object['id']) };
}

function statusOf(object: JsonObject): JsonObject {
  const { id = '', name = '', provisioning_status = '', operating_status = '' } = object;
  return { id, name, provisioning_status, operating_status };
}

function typeOf(monitor: JsonObject): Json {
  return monitor['type'] ?? '';
}
