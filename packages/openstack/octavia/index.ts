export { octaviaPart } from './part.ts';
