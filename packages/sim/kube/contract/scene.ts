import type { ContractEndpoint } from './endpoint.ts';
import { Stage, type TranscriptEntry } from './stage.ts';

/** Requests in order. The same ones on two servers must give the same transcript. */
export interface Scene {
  readonly name: string;
  play(stage: Stage): Promise<void>;
}

/** Plays a scene in a namespace of its own and returns what the server answered. */
export async function playScene(
  scene: Scene,
  endpoint: ContractEndpoint,
  namespace: string,
): Promise<readonly TranscriptEntry[]> {
  const stage = new Stage(endpoint, namespace);
  await stage.quietly('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  try {
    await scene.play(stage);
  } finally {
    await stage.quietly('DELETE', `/api/v1/namespaces/${namespace}`);
  }
  return stage.transcript;
}
