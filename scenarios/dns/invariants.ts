import { endpointSlices } from '@fairlead/kube';
import { lookUp, TestZone } from '@fairlead/dns/testing';
import type { Invariant } from '@fairlead/sim';
import {
  CLUSTERS,
  CONFIGURATION,
  imports,
  LONGEST_BEHIND_MILLISECONDS,
  nameOf,
  SERVICES,
  STEADY,
  STEADY_ADDRESS,
  TURNS,
} from './names.ts';
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

/** Every server says what one would that read all objects now. */
export function unfinished(world: World): string | undefined {
  const objects = { imports: world.objects(imports), slices: world.objects(endpointSlices) };
  const right = new TestZone(CONFIGURATION, objects);
  const names = [...SERVICES, STEADY].flatMap((service) => [
    nameOf(service),
    ...CLUSTERS.map((cluster) => `${cluster}.${nameOf(service)}`),
  ]);
  for (const [server, { sockets }] of world.lives) {
    for (const name of names) {
      const expected = lookUp(name, TURNS, (query) => right.ask(query));
      const found = lookUp(name, TURNS, (query) => sockets.ask(query));
      if (found !== expected) return `${server} says ${found} of ${name}, not ${expected}`;
    }
  }
  return undefined;
}
