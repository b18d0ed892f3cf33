export { gatewayPart } from './controller/part.ts';
