import { familyOf, parseIpAddress } from '@fairlead/control';
import type { Conntrack, FlowClient, Flows } from '../apply/node.ts';
import { runCommand } from './run-command.ts';

/** The kernel's memory of flows, by the program `conntrack`. */
export const systemConntrack: Conntrack = {
  async forget({ frontend, client, backend }: Flows) {
    const from = client === undefined ? [] : ['--orig-src', client];
    const toPort = backend?.port === undefined ? [] : ['--reply-port-src', `${backend.port}`];
    const to = backend === undefined ? [] : ['--reply-src', backend.address, ...toPort];
    // It ends with 1 where there is nothing to delete.
    await runCommand('conntrack', ['-D', ...filterOf(frontend), ...from, ...to]);
  },

  async clients(frontend) {
    const { output } = await runCommand('conntrack', ['-L', ...filterOf(frontend)]);
    return output.split('\n').flatMap((line): FlowClient[] => {
      const [, source = '', port] = / src=(\S+) .*? dport=(\d+) /.exec(line) ?? [];
      const parsed = parseIpAddress(source);
      return parsed === undefined ? [] : [{ client: parsed.address, port: Number(port) }];
    });
  },
};

function filterOf({ address, protocol, port }: Flows['frontend']): readonly string[] {
  const family = familyOf(address) === 'IPv4' ? 'ipv4' : 'ipv6';
  const ofPort = port === undefined ? [] : ['--orig-port-dst', `${port}`];
  return ['-f', family, '-p', protocol.toLowerCase(), '--orig-dst', address, ...ofPort];
}
