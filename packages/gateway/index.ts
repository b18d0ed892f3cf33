export { type GatewayOutside, gatewayPart, gatewayPartWith } from './controller/part.ts';
