export { gatewayAgentPart } from './agent/part.ts';
export { type GatewayOutside, gatewayPart, gatewayPartWith } from './controller/part.ts';
