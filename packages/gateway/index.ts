export { gatewayAgentPart } from './agent/part.ts';
export { type GatewayOutside, gatewayPart, gatewayPartWith } from './controller/part.ts';
export { flowEnd } from './agent/nftables/flow.ts';
export { virtualServer } from './protocol/configuration.ts';
