import { networkInterfaces } from 'node:os';
import { type IpAddress, parseIpAddress } from '@fairlead/control';
import type { GatewayNode } from '../apply/node.ts';
import type { GatewayAgentConfiguration } from '../configuration.ts';
import { systemConntrack } from './conntrack.ts';
import { systemKeepalived } from './keepalived.ts';
import { systemNft } from './nft.ts';
import { stateFolder } from './state-folder.ts';

/** This machine. */
export function systemNode(configuration: Pick<GatewayAgentConfiguration, 'stateFolder' | 'vrrp'>): GatewayNode {
  const state = stateFolder(configuration.stateFolder);
  return {
    nft: systemNft,
    ...(configuration.vrrp === undefined ? {} : { keepalived: systemKeepalived(configuration.stateFolder, state) }),
    conntrack: systemConntrack,
    state,
    localAddresses: () =>
      Object.values(networkInterfaces())
        .flat()
        .flatMap((one): IpAddress[] => {
          const parsed = parseIpAddress(one?.address ?? '');
          return parsed === undefined ? [] : [parsed.address];
        }),
  };
}
