import { renderTable } from '@fairlead/control';
import { keyText, type Service } from '@fairlead/kube';

/** What the live view shows at one moment. */
export interface Scene {
  readonly seconds: number;
  readonly done: number;
  readonly total: number;
  readonly services: readonly Service[];
  /** Parts and whether each is ready, in a line each. */
  readonly parts: readonly string[];
}

/** The screen as lines: every load balancer Service, its class, ports, address, and what is said of it. */
export function renderScene(scene: Scene): string[] {
  const rows = scene.services
    .filter((service) => service.spec.type === 'LoadBalancer')
    .map((service) => [
      keyText(service.metadata),
      (service.spec.loadBalancerClass ?? '').replace('fairlead.dev/', ''),
      (service.spec.ports ?? []).map((port) => `${port.port}/${port.protocol ?? 'TCP'}`).join(','),
      addresses(service),
      stateOf(service),
    ]);
  return [
    `${scene.done} of ${scene.total} programmed after ${scene.seconds.toFixed(1)} s`,
    '',
    ...renderTable([['SERVICE', 'CLASS', 'PORTS', 'ADDRESS', 'STATE'], ...rows]),
    '',
    ...scene.parts,
  ];
}

function addresses(service: Service): string {
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  return ingress.length === 0 ? '<none>' : ingress.map((point) => point.ip ?? point.hostname ?? '').join(',');
}

function stateOf(service: Service): string {
  if (service.metadata.deletionTimestamp !== undefined) return 'being deleted';
  const condition = service.status?.conditions?.find(({ type }) => type === 'fairlead.dev/Programmed');
  return condition?.message ?? 'waiting';
}
