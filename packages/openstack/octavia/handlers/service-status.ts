import { parseIpAddress } from '@fairlead/control';
import { findCondition, type Service } from '@fairlead/kube';
import {
  type ClaimedService,
  type DesiredServiceStatus,
  type IngressPoint,
  notProgrammed,
  type Programmed,
  programmed,
  type ServiceEventReason,
  shownAddresses,
} from '@fairlead/service';
import { type KuryrLoadBalancer, PROGRAMMED } from '../resource/types.ts';
import { Annotations } from './annotations.ts';

const WAITING = notProgrammed('load-balancer-pending', 'Its load balancer is being made.');

/** What the Service says of itself, from what its resource says. */
export function desiredStatus(claim: ClaimedService, resource: KuryrLoadBalancer | undefined): DesiredServiceStatus {
  const { service } = claim;
  const condition = resource === undefined ? undefined : findCondition(resource, PROGRAMMED);
  const isOfThis = condition !== undefined;
  if (resource === undefined || !isOfThis) return { ingress: shownIngress(service), programmed: WAITING };
  const { status, reason, message } = condition;
  // What does not go as it should takes no address away that is served.
  if (status !== 'True') return { ingress: shownIngress(service), programmed: { status, reason, message } };
  const addresses = addressesOf(resource);
  const hostname = new Annotations(service).text('hostname');
  if (hostname !== undefined) return { ingress: [{ hostname }], programmed: programmed([hostname]) };
  return { ingress: addresses.map((address) => ({ address, mode: 'Proxy' })), programmed: programmed(addresses) };
}

/** The floating IP in the place of the VIP that it leads to, then the VIPs of further families. */
function addressesOf({ status }: KuryrLoadBalancer) {
  const { service_pub_ip_info, loadbalancer } = status ?? {};
  const first = service_pub_ip_info?.ip_addr ?? loadbalancer?.ip ?? '';
  return [first, ...(loadbalancer?.additional_ips ?? [])].flatMap((text) => parseIpAddress(text)?.address ?? []);
}

/** As it is: an edit that cannot be honoured takes no address away. */
export function shownIngress(service: Service): readonly IngressPoint[] {
  const hostname = service.status?.loadBalancer?.ingress?.[0]?.hostname;
  if (hostname !== undefined) return [{ hostname }];
  return shownAddresses(service).map((address) => ({ address, mode: 'Proxy' }));
}

/** By which Event the owner of the Service hears of it. */
export function eventFor({ status, reason, message }: Programmed): ServiceEventReason {
  if (status === 'True') return 'EnsuredLoadBalancer';
  if (message.startsWith('Refused')) return 'LoadBalancerRefused';
  return reason === WAITING.reason ? 'EnsuringLoadBalancer' : 'SyncLoadBalancerFailed';
}
