import { familyOf, type IpAddress, parseIpAddress } from '@fairlead/control';
import type { Conntrack, Flows } from '../apply/node.ts';
import { runCommand } from './run-command.ts';

/** The kernel's memory of flows, by the program `conntrack`. */
export const systemConntrack: Conntrack = {
  async forget({ frontend, client, backend }: Flows) {
    const from = client === undefined ? [] : ['--orig-src', client];
    const to = backend === undefined ? [] : ['--reply-src', backend.address, '--reply-port-src', `${backend.port}`];
    // It ends with 1 where there is nothing to delete.
    await runCommand('conntrack', ['-D', ...filterOf(frontend), ...from, ...to]);
  },

  async clients(frontend) {
    const { output } = await runCommand('conntrack', ['-L', ...filterOf(frontend)]);
    const found = output.split('\n').flatMap((line): IpAddress[] => {
      const parsed = parseIpAddress(/ src=(\S+)/.exec(line)?.[1] ?? '');
      return parsed === undefined ? [] : [parsed.address];
    });
    return [...new Set(found)];
  },
};

function filterOf({ address, protocol, port }: Flows['frontend']): readonly string[] {
  const family = familyOf(address) === 'IPv4' ? 'ipv4' : 'ipv6';
  const ofPort = port === undefined ? [] : ['--orig-port-dst', `${port}`];
  return ['-f', family, '-p', protocol.toLowerCase(), '--orig-dst', address, ...ofPort];
}
