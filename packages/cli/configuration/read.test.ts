import { definePart } from '@fairlead/part';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readConfiguration } from './read.ts';

const lighthouse = definePart({
  name: 'lighthouse',
  summary: 'Keeps a light.',
  loadBalancerClass: 'fairlead.dev/lighthouse',
  schema: z.strictObject({ addresses: z.array(z.string()).min(1), brightness: z.number().default(3) }),
  permissions: [],
  customResources: [],
  metrics: [],
  events: [],
  explains: [],
  commands: [],
  demo: {
    description: '',
    configuration: () => ({}),
    objects: [],
    progress: async () => ({ done: 0, total: 0, missing: [] }),
  },
  configure: () => ({
    runs: 'leader' as const,
    start: async () => {},
    plan: async () => ({ changes: [] }),
    explain: async () => undefined,
    status: async () => ({ summary: '', figures: {} }),
  }),
});

const read = (text: string) => readConfiguration(text, 'fairlead.yaml', [lighthouse]);
const smallest = 'parts:\n  lighthouse:\n    addresses: [192.0.2.1]\n';

describe('readConfiguration', () => {
  it('fills in the defaults of what is left out', () => {
    expect(read(smallest)).toEqual({
      kubernetes: {},
      http: { listen: '127.0.0.1:8080' },
      log: { level: 'info' },
      leaderElection: { namespace: 'fairlead-system', leaseDurationSeconds: 15 },
      parts: { lighthouse: { addresses: ['192.0.2.1'], brightness: 3 } },
    });
  });

  it('refuses a misspelt key with its line and the key that was meant', () => {
    expect(() => read(`${smallest}    brigthness: 4\n`)).toThrow(
      'fairlead.yaml:4:5: unknown key parts.lighthouse.brigthness: did you mean brightness?',
    );
  });

  it.each([
    [
      'a key that is needed',
      'parts:\n  lighthouse:\n    adresses: [192.0.2.1]\n',
      '3:5: unknown key parts.lighthouse.adresses',
    ],
    ['the only part', 'parts:\n  lighthose: {}\n', '2:3: unknown key parts.lighthose'],
    ['the section of all parts', 'part:\n  lighthouse: {}\n', '1:1: unknown key part'],
  ])('tells one mistake of %s that is misspelt, and not that it is missing, too', (_, text, mistake) => {
    expect(() => read(text)).toThrow(new RegExp(`^fairlead.yaml:${mistake}: did you mean \\w+\\?$`));
  });

  it('still tells what else is missing beside a misspelt key', () => {
    expect(() => read('parts:\n  lighthouse:\n    brigthness: 4\n')).toThrow(
      /^fairlead.yaml:2:3: parts.lighthouse.addresses: is missing: write a list\nfairlead.yaml:3:5: unknown key .*$/,
    );
  });

  it('lists the known keys when none is near', () => {
    expect(() => read(`${smallest}zebra: 1\n`)).toThrow(
      'fairlead.yaml:4:1: unknown key zebra: known here: kubernetes, http, log, leaderElection, defaultClass, parts',
    );
  });

  it('names the line of a value of the wrong type', () => {
    expect(() => read('parts:\n  lighthouse:\n    addresses:\n      - 192.0.2.1\n      - 7\n')).toThrow(
      'fairlead.yaml:5:9: parts.lighthouse.addresses[1]: must be a text, and is a number: put it in quotes',
    );
  });

  it('names the line of the section in which a key is missing', () => {
    expect(() => read('parts:\n  lighthouse:\n    brightness: 1\n')).toThrow(
      'fairlead.yaml:2:3: parts.lighthouse.addresses',
    );
  });

  it('tells every mistake at once, one a line', () => {
    const text = `log:\n  level: loud\nhttp:\n  listen: nowhere\n${smallest}`;
    expect(() => read(text)).toThrow(
      /^fairlead.yaml:2:3: log.level: .*\nfairlead.yaml:4:3: http.listen: must be HOST:PORT/,
    );
  });

  it('refuses text that is not YAML with its line', () => {
    expect(() => read('parts:\n  lighthouse: [\n')).toThrow(/^fairlead.yaml:\d+:\d+: not valid YAML/);
    // What follows from the first is no mistake of its own.
    expect(() => read('parts: {lighthouse: {addresses: [192.0.2.1\n')).toThrow(
      /^fairlead.yaml:2:1: not valid YAML: .*$/,
    );
  });

  it('refuses an empty file, and an alias to nothing, without a trace', () => {
    expect(() => read('')).toThrow('fairlead.yaml:1:1: parts: is missing: name at least one part: lighthouse');
    expect(() => read('parts: *nowhere\n')).toThrow('fairlead.yaml:1:1: not valid YAML: Unresolved alias');
  });

  it('refuses a port that does not exist', () => {
    expect(() => read(`http:\n  listen: 127.0.0.1:99999\n${smallest}`)).toThrow('http.listen: must be HOST:PORT');
  });

  it('refuses a file without any part, and names those there are', () => {
    expect(() => read('parts: {}\n')).toThrow('fairlead.yaml:1:1: parts: needs at least one part: lighthouse');
  });
});
