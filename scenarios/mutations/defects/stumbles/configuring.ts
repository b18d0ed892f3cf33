import type { Defect } from '../../defect.ts';

const READ = { unit: 'packages/cli/configuration/read.test.ts' };
const POOLS = { unit: 'packages/gateway/controller/pools.test.ts' };
const AZURE = { unit: 'packages/azure/arm/configuration/azure-environment.test.ts' };

/** Of what is written into the configuration, the environment and the kubeconfig, and what is said of mistakes in it. */
export const configuringDefects: readonly Defect[] = [
  {
    name: 'what is missing is told in the words of a validator',
    file: 'packages/cli/configuration/issue-text.ts',
    find: 'if (!VALIDATOR_WORDS.test(issue.message)) return issue.message;',
    replace: "if (issue.message !== '') return issue.message;",
    foundBy: READ,
  },
  {
    name: 'a misspelt key is told as missing, too',
    file: 'packages/cli/configuration/read.ts',
    find: 'issues.filter((issue) => !misspelt.some((key) => followsFrom(key, issue)))',
    replace: 'issues.filter((issue) => !misspelt.some((key) => key.length === 0 && followsFrom(key, issue)))',
    foundBy: READ,
  },
  {
    name: 'a bad address is told twice',
    file: 'packages/gateway/controller/configuration.ts',
    find: 'if (entries.some((entry) => problemOf([entry]) !== undefined)) return;',
    replace: '',
    foundBy: POOLS,
  },
  {
    name: 'an empty pool is taken',
    file: 'packages/gateway/controller/configuration.ts',
    find: "  .min(1, 'is empty: name at least one address, such as 192.0.2.10')\n",
    replace: '',
    foundBy: POOLS,
  },
  {
    name: 'an address with host bits becomes its whole network',
    file: 'packages/gateway/controller/addresses/static-addresses.ts',
    find: '    checkHostBits(text, range.first, range.family);\n',
    replace: '',
    foundBy: POOLS,
  },
  {
    name: 'an address with host bits is refused without the fix',
    file: 'packages/gateway/controller/addresses/static-addresses.ts',
    find: '`has bits set behind its prefix: write ${network} for the network, or ${address} for the address`',
    replace: '`is not valid${network.slice(0, 0)}`',
    foundBy: POOLS,
  },
  {
    name: 'no code reads AZURE_CLIENT_SECRET',
    file: 'packages/azure/arm/configuration/azure-environment.ts',
    find: "if (variable('CLIENT_SECRET') !== undefined) return { ...filled, aadClientSecret: variable('CLIENT_SECRET') };",
    replace: '',
    foundBy: AZURE,
  },
  {
    name: 'no code reads what the webhook of workload identity gives to a Pod',
    file: 'packages/azure/arm/configuration/azure-environment.ts',
    find: 'return isFederated ? { ...filled, useFederatedWorkloadIdentityExtension: true } : filled;',
    replace: 'return isFederated ? filled : filled;',
    foundBy: AZURE,
  },
  {
    name: 'HTTPS_PROXY is not honoured',
    file: 'packages/control/adapters/http.ts',
    find: 'return (url) => proxyFromEnvironment(url, environment);',
    replace: 'return (url) => proxyFromEnvironment(url, environment === undefined ? environment : {});',
    foundBy: { unit: 'packages/control/adapters/proxy-tunnel.test.ts' },
  },
  {
    name: 'NO_PROXY is not honoured',
    file: 'packages/control/network/proxy.ts',
    find: "isExempt(url, variable(environment, 'NO_PROXY'))",
    replace: "isExempt(url, variable(environment, 'NONE'))",
    foundBy: { unit: 'packages/control/adapters/proxy-tunnel.test.ts' },
  },
  {
    name: 'the proxy-url of a kubeconfig is not honoured',
    file: 'packages/kube/adapters/connect.ts',
    find: 'new SocketTransport({ tls, proxy })',
    replace: 'new SocketTransport({ tls, proxy: proxy?.slice(0, 0) || undefined })',
    foundBy: { unit: 'packages/kube/adapters/connect.test.ts' },
  },
  {
    name: 'a page names a value that the chart does not know',
    file: 'deploy/generator/values.ts',
    find: 'secretFiles:',
    replace: 'filesOfSecrets:',
    foundBy: { unit: 'deploy/deploy-page.test.ts' },
  },
  {
    name: 'a page names an option that no command has',
    file: 'packages/cli/program.ts',
    find: "  '--supervised',",
    replace: "  '--replaceable',",
    foundBy: { unit: 'packages/cli/documented-commands.test.ts' },
  },
  {
    name: 'a page names a command that there is not',
    file: 'packages/cli/program.ts',
    find: "program.command('release')",
    replace: "program.command('let-go')",
    foundBy: { unit: 'packages/cli/documented-commands.test.ts' },
  },
  {
    name: 'a page tells of permissions that are not needed',
    file: 'packages/cli/running.ts',
    find: "verbs: ['get', 'create', 'patch'],",
    replace: "verbs: ['get', 'create', 'patch', 'delete'],",
    foundBy: { unit: 'deploy/generator/generated-files.test.ts' },
  },
  {
    name: 'the README of the chart does not say what a value is for',
    file: 'deploy/generator/readme-file.ts',
    find: "const meaning = [child.description ?? '',",
    replace: "const meaning = ['',",
    foundBy: { unit: 'deploy/generator' },
  },
];
