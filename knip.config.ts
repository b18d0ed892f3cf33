import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  // A type that its own file uses is part of the shape of something else, and may have a name for readers.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // What a gateway node has, and what tests make one with.
  ignoreBinaries: ['conntrack', 'ip', 'keepalived', 'mount', 'nft', 'script', 'umount'],
  workspaces: {
    '.': {
      entry: ['scripts/{check,complete-lock,start,test}.ts'],
      // scripts/check.ts runs their commands, which knip cannot see; oxlint-tsgolint is oxlint's type-aware half.
      ignoreDependencies: ['@biomejs/biome', 'oxlint', 'oxlint-tsgolint', 'ts7'],
      // Of the system.
      ignoreBinaries: ['apt-get'],
    },
    // The bench runs its two sides as programs of their own.
    bench: {
      entry: [
        'run.ts',
        'watch/{consumer,server}.ts',
        'service-gateway/{controller,engine}.ts',
        'gateway-agent/side.ts',
        'dns/server.ts',
        'clusterset/member.ts',
      ],
    },
    deploy: { entry: ['{bundle,generate}.ts'] },
    e2e: { entry: ['generate-schemas.ts', 'fuzz/run.ts', 'gateway/hand.ts'] },
    scenarios: { entry: ['{run,job}.ts', 'mutations/{run,hook,suites}.ts'] },
    // A library in its own right: others may use more of it than we do.
    'packages/kube': { includeEntryExports: false },
    // The client of parts that are still to come.
    'packages/openstack': { includeEntryExports: false },
  },
};

export default config;
