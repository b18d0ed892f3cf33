import { electionScenario } from './election.ts';
import { kubeScenario } from './kube.ts';
import { randomScenario, type RunnableScenario } from './scenario.ts';

/** Every scenario there is. */
export const scenarios: readonly RunnableScenario[] = [
  randomScenario(kubeScenario()),
  randomScenario(electionScenario()),
];

/** Throws an error that names those there are. */
export function findScenario(name: string): RunnableScenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  throw new Error(`there is no scenario ${name}; there are ${scenarios.map((scenario) => scenario.name).join(', ')}`);
}
