// Serves the objects of the bench: `node server.ts OBJECTS ENDPOINTS`.
import { type Collection, serveApi } from '../api-server.ts';
import { benchObjects, ENDPOINT_SLICES_PATH, SERVICES_PATH } from './objects.ts';

const [count, endpoints] = process.argv.slice(2).map(Number);
if (count === undefined || endpoints === undefined) throw new Error('usage: server.ts OBJECTS ENDPOINTS');

const services: Collection = { kind: 'Service', apiVersion: 'v1', items: [] };
const endpointSlices: Collection = { kind: 'EndpointSlice', apiVersion: 'discovery.k8s.io/v1', items: [] };
for (const { service, endpointSlice } of benchObjects(count, endpoints)) {
  services.items.push(Buffer.from(JSON.stringify(service)));
  endpointSlices.items.push(Buffer.from(JSON.stringify(endpointSlice)));
}
await serveApi(
  new Map([
    [SERVICES_PATH, services],
    [ENDPOINT_SLICES_PATH, endpointSlices],
  ]),
);
