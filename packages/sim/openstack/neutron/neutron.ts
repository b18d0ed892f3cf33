import type { Clock, Random } from '@fairlead/control';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { OpenStackBehaviour } from '../behaviour.ts';
import type { Requester } from '../keystone/identity.ts';
import { badRequest, noSuchPath, Refusal } from '../refusal.ts';
import type { ServiceAnswer, ServiceRequest } from '../service-request.ts';
import { EXTENSIONS } from './extensions.ts';
import { checkChanged, checkCreated, differs, filtersOf } from './fields.ts';
import { changeFloatingIp, createFloatingIp, deleteFloatingIp } from './floating-ips.ts';
import { list, selected } from './listing.ts';
import {
  addRouterInterface,
  createNetwork,
  createRouter,
  createSubnet,
  deleteNetwork,
  deleteRouter,
  deleteSubnet,
  removeRouterInterface,
} from './networks.ts';
import { changePort, createPort, deletePort } from './ports.ts';
import { answerQuota } from './quotas.ts';
import {
  changeRule,
  createRule,
  createSecurityGroup,
  defaultSecurityGroup,
  deleteRule,
  deleteSecurityGroup,
} from './security-groups.ts';
import type { Kind } from './store.ts';
import { answerTags } from './tags.ts';
import { idOf, isVisible, NeutronWorld, notFound } from './world.ts';

interface KindRules {
  /** What a body is wrapped in, and a list. */
  readonly singular: string;
  readonly plural: string;
  readonly create: (world: NeutronWorld, requester: Requester, fields: JsonObject) => JsonObject;
  readonly change?: (world: NeutronWorld, requester: Requester, object: JsonObject, fields: JsonObject) => JsonObject;
  readonly delete: (world: NeutronWorld, object: JsonObject) => void;
}

const KINDS: Readonly<Record<Kind, KindRules>> = {
  networks: { singular: 'network', plural: 'networks', create: createNetwork, delete: deleteNetwork },
  subnets: { singular: 'subnet', plural: 'subnets', create: createSubnet, delete: deleteSubnet },
  ports: { singular: 'port', plural: 'ports', create: createPort, change: changePort, delete: deletePort },
  floatingips: {
    singular: 'floatingip',
    plural: 'floatingips',
    create: createFloatingIp,
    change: changeFloatingIp,
    delete: deleteFloatingIp,
  },
  routers: { singular: 'router', plural: 'routers', create: createRouter, delete: deleteRouter },
  'security-groups': {
    singular: 'security_group',
    plural: 'security_groups',
    create: createSecurityGroup,
    delete: deleteSecurityGroup,
  },
  'security-group-rules': {
    singular: 'security_group_rule',
    plural: 'security_group_rules',
    create: createRule,
    change: changeRule,
    delete: deleteRule,
  },
};

/** What a body of this kind is wrapped in: `port`. */
export function singularOf(kind: Kind): string {
  return KINDS[kind].singular;
}

/** Neutron, as far as Fairlead uses it. */
export class Neutron {
  readonly world: NeutronWorld;

  constructor(clock: Clock, random: Random, behaviour: OpenStackBehaviour) {
    this.world = new NeutronWorld(clock, random, behaviour);
  }

  /** Throws a Refusal where Neutron says no. */
  answer(requester: Requester, request: ServiceRequest): ServiceAnswer {
    const { kind, id, action, method, body } = request;
    if (kind === 'extensions' && method === 'GET' && id === undefined) return { status: 200, body: EXTENSIONS };
    if (kind === 'quotas' && id !== undefined) {
      const quota = answerQuota(this.world, requester, id, { method, body });
      return quota === undefined ? { status: 204, body: undefined } : { status: 200, body: quota };
    }
    if (!isKind(kind)) throw noSuchPath();
    if (id === undefined) return this.#onAll(requester, kind, request);
    if (action === undefined) return this.#onOne(requester, kind, id, request);
    return this.#act(requester, kind, id, request);
  }

  #onAll(requester: Requester, kind: Kind, request: ServiceRequest): ServiceAnswer {
    const rules = KINDS[kind];
    if (request.method === 'GET') return { status: 200, body: this.#list(requester, kind, request) };
    if (request.method !== 'POST') throw methodNotAllowed();
    const fields = fieldsIn(request.body, rules.singular);
    checkCreated(kind, fields);
    const made = rules.create(this.world, requester, fields);
    return { status: 201, body: { [rules.singular]: made } };
  }

  #list(requester: Requester, kind: Kind, { query, root }: ServiceRequest): JsonObject {
    if (kind === 'security-groups') defaultSecurityGroup(this.world, requester.projectId);
    const all = this.world.store.all(kind).filter((object) => isVisible(requester, object));
    const { pageLimit } = this.world.behaviour;
    const { items, page } = list(all, query, filtersOf(kind), pageLimit, (id) => notFound(kind, id));
    const { plural } = KINDS[kind];
    if (page === undefined) return { [plural]: items };
    const linkTo = (marker: string, more = '') => {
      const rest = new URLSearchParams(query);
      rest.delete('marker');
      return `${root}/${kind}?${rest.toString()}&marker=${marker}${more}`;
    };
    const next = page.hasMore ? [{ rel: 'next', href: linkTo(page.last) }] : [];
    const previous = [{ rel: 'previous', href: linkTo(page.first, '&page_reverse=True') }];
    const links = [...next, ...previous];
    return { [plural]: items, [`${plural}_links`]: links };
  }

  #onOne(requester: Requester, kind: Kind, id: string, request: ServiceRequest): ServiceAnswer {
    const rules = KINDS[kind];
    const { method, body, ifMatch, query } = request;
    if (method === 'GET') {
      const shown = selected(this.world.required(requester, kind, id), query.getAll('fields'));
      return { status: 200, body: { [rules.singular]: shown } };
    }
    if (method === 'PUT') {
      const fields = fieldsIn(body, rules.singular);
      checkChanged(kind, fields);
      const object = this.world.required(requester, kind, id);
      checkRevision(object, ifMatch);
      const change = rules.change ?? changeFields(kind);
      return { status: 200, body: { [rules.singular]: change(this.world, requester, object, fields) } };
    }
    if (method !== 'DELETE') throw methodNotAllowed();
    const object = this.world.required(requester, kind, id);
    checkRevision(object, ifMatch);
    rules.delete(this.world, object);
    return { status: 204, body: undefined };
  }

  #act(requester: Requester, kind: Kind, id: string, { method, action, item, body }: ServiceRequest): ServiceAnswer {
    if (action === 'tags') {
      const object = this.world.store.find(kind, id);
      if (object !== undefined && !isVisible(requester, object)) {
        const message = `rule:update_${singularOf(kind)}:tags is disallowed by policy`;
        throw new Refusal(403, 'PolicyNotAuthorized', message);
      }
      return answerTags(this.world, kind, object, { method, tag: item, body });
    }
    if (kind !== 'routers' || method !== 'PUT') throw noSuchPath();
    const router = this.world.required(requester, 'routers', id);
    if (action === 'add_router_interface') {
      return { status: 200, body: addRouterInterface(this.world, requester, router, body ?? {}) };
    }
    if (action !== 'remove_router_interface') throw noSuchPath();
    return { status: 200, body: removeRouterInterface(this.world, router, body ?? {}) };
  }
}

function changeFields(kind: Kind): NonNullable<KindRules['change']> {
  return (world, _, object, fields) => world.store.change(kind, idOf(object), fields, differs(object, fields));
}

function isKind(kind: string): kind is Kind {
  return Object.hasOwn(KINDS, kind);
}

function fieldsIn(body: JsonObject | undefined, singular: string): JsonObject {
  const fields = body?.[singular];
  if (isJsonObject(fields)) return fields;
  throw badRequest('Resources required');
}

/** Other conditions than this one are passed over. */
function checkRevision(object: JsonObject, ifMatch: string | undefined): void {
  const [, wanted] = /^revision_number=(\d+)$/.exec(ifMatch ?? '') ?? [];
  const current = JSON.stringify(object['revision_number']);
  if (wanted === undefined || wanted === current) return;
  throw new Refusal(
    412,
    'RevisionNumberConstraintFailed',
    `Constrained to ${wanted}, but current revision is ${current}`,
  );
}

function methodNotAllowed(): Refusal {
  const message = 'The server could not comply with the request since it is either malformed or otherwise incorrect.';
  return new Refusal(405, 'HTTPMethodNotAllowed', message);
}
