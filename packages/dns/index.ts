export { dnsPart } from './part.ts';
