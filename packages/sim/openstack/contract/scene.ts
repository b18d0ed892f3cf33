import type { ContractCloud } from './endpoint.ts';
import { Stage, type TranscriptEntry } from './stage.ts';

/** Requests in order. The same ones in two clouds must give the same transcript. */
export interface Scene {
  readonly name: string;
  play(stage: Stage): Promise<void>;
}

/** Plays a scene, takes away what it made, and returns what the cloud answered. */
export async function playScene(scene: Scene, cloud: ContractCloud): Promise<readonly TranscriptEntry[]> {
  const stage = new Stage(cloud);
  try {
    await scene.play(stage);
  } finally {
    await stage.clear();
  }
  return stage.transcript;
}
