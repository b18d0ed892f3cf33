import { SERVICE_NAME } from '@fairlead/clusterset/mcs';
import { lookUp } from '@fairlead/dns/testing';
import { endpointSlices } from '@fairlead/kube';
import type { Invariant } from '@fairlead/sim';
import {
  CLUSTERS,
  imports,
  LONGEST_BEHIND_MILLISECONDS,
  nameOf,
  SERVICES,
  STEADY,
  STEADY_ADDRESS,
  TURNS,
} from './names.ts';
import { rightAnswers } from './right-answers.ts';
import type { World } from './world.ts';

const WORDS = new Set(['SERVFAIL', 'NXDOMAIN', 'NOERROR', 'no', 'reply']);

export function invariants(world: World): readonly Invariant[] {
  let step = 0;
  return [
    {
      name: 'no address is invented',
      check() {
        for (const [server, { sockets }] of world.lives) {
          for (const service of SERVICES) {
            const answer = lookUp(nameOf(service), 1, (query) => sockets.ask(query)).split(' ');
            const strange = answer.find((word) => !WORDS.has(word) && world.known.get(service)?.has(word) !== true);
            if (strange !== undefined) return `${server} leads to ${strange}, where ${service} never was`;
          }
        }
        return undefined;
      },
    },
    {
      name: 'no address is answered for long that is gone',
      check() {
        for (const [server, { sockets, process }] of world.lives) {
          // One that is frozen answers no client, and has yet to hear what it missed.
          if (process().state !== 'running') continue;
          for (const service of SERVICES) {
            const answer = lookUp(nameOf(service), 1, (query) => sockets.ask(query)).split(' ');
            for (const word of answer) {
              const goneAt = world.known.get(service)?.get(word);
              if (goneAt !== undefined && world.now() - goneAt > LONGEST_BEHIND_MILLISECONDS) {
                return `${server} leads to ${word} of ${service}, which is gone since ${world.now() - goneAt} ms`;
              }
            }
          }
        }
        return undefined;
      },
    },
    {
      name: 'every answer is right for states that the server can have read, and none goes back',
      check() {
        step += 1;
        const cluster = CLUSTERS[step % CLUSTERS.length];
        for (const [service, states] of world.states) {
          states.see(world, world.now());
          const names = [nameOf(service), `${cluster}.${nameOf(service)}`];
          for (const [server, { sockets, process, followers }] of world.lives) {
            if (process().state !== 'running') continue;
            const answers = new Map(names.map((name) => [name, lookUp(name, 1, (query) => sockets.ask(query))]));
            const complaint = followers.get(service)?.complaint(answers, world.now());
            if (complaint === undefined) continue;
            const said = [...answers].map(([name, answer]) => `${answer} of ${name}`).join(' and ');
            return `${server} says ${said}, ${complaint}`;
          }
        }
        return undefined;
      },
    },
    {
      name: 'what was there when it started is never denied',
      check() {
        for (const [server, { sockets, startedAt }] of world.lives) {
          if (world.begunAt === undefined || startedAt <= world.begunAt) continue;
          const answer = lookUp(nameOf(STEADY), 1, (query) => sockets.ask(query));
          if (![STEADY_ADDRESS, 'SERVFAIL', 'no reply'].includes(answer))
            return `${server} says ${answer} of ${STEADY}`;
        }
        return undefined;
      },
    },
  ];
}

/** Every server says what is right for all objects as they are now, and all of it in turn. */
export function unfinished(world: World): string | undefined {
  for (const service of [...SERVICES, STEADY]) {
    const objects = {
      imports: world.objects(imports),
      slices: world.objects(endpointSlices).filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === service),
    };
    for (const name of [nameOf(service), ...CLUSTERS.map((cluster) => `${cluster}.${nameOf(service)}`)]) {
      const right = [...rightAnswers(service, name, objects)].join(' ').split(' ').toSorted().join(' ');
      for (const [server, { sockets }] of world.lives) {
        const found = lookUp(name, TURNS, (query) => sockets.ask(query));
        if (found !== right) return `${server} says ${found} of ${name}, not ${right}`;
      }
    }
  }
  return undefined;
}
