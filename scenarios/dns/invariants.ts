import { lookUp } from '@fairlead/dns/testing';
import type { Invariant } from '@fairlead/sim';
import { LONGEST_BEHIND_MILLISECONDS, nameOf, SERVICES, STEADY, STEADY_ADDRESS } from './names.ts';
import type { World } from './world.ts';

const WORDS = new Set(['SERVFAIL', 'NXDOMAIN', 'NOERROR', 'no', 'reply']);

export function invariants(world: World): readonly Invariant[] {
  return [
    {
      name: 'no address is invented',
      check() {
        for (const [server, { sockets }] of world.servers.lives) {
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
        for (const [server, { sockets, process }] of world.servers.lives) {
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
      check: () => world.servers.wrongAnswer(world),
    },
    {
      name: 'what was there when it started is never denied',
      check() {
        for (const [server, { sockets, startedAt }] of world.servers.lives) {
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
  return world.servers.difference(world, [...SERVICES, STEADY]);
}
