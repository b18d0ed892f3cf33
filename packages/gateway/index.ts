export { gatewayAgentPart } from './agent/part.ts';
export type {
  AddressCloud,
  AddressProvider,
  AddressSupply,
  CloudEnvironment,
  CloudPool,
  FormerPorts,
} from './controller/addresses/address-provider.ts';
export { isL2PortId, type L2Port } from './controller/addresses/l2-port.ts';
export { type GatewayOutside, gatewayPart, gatewayPartWith } from './controller/part.ts';
export { flowEnd } from './agent/nftables/flow.ts';
export { virtualServer } from './protocol/configuration.ts';
