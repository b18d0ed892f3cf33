// `npm run generate:schemas`: writes what the simulated Kubernetes API knows about the types of the real one.
import { writeFile } from 'node:fs/promises';
import { generatedSchemas, SCHEMAS_FILE } from './harness/schemas.ts';

await writeFile(SCHEMAS_FILE, await generatedSchemas());
