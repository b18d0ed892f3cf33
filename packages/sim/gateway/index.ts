export { SimulatedAgent, type SimulatedGeneration, type SimulatedServer } from './simulated-agent.ts';
