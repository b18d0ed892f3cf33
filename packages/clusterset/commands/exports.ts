import { FairleadError } from '@fairlead/control';
import { isNotFound, services } from '@fairlead/kube';
import type { ConfiguredInvocation, PartCommand, Permission } from '@fairlead/part';
import type { ClusterSetConfiguration } from '../configuration.ts';
import { MCS_GROUP, type ServiceExport } from '../mcs/types.ts';
import { isNamespaceAllowed } from '../records/trust.ts';
import { readSettings } from '../settings.ts';

const argument = { name: '<service>', summary: 'its namespace and name: shop/web' };

const permission = (verbs: Permission['verbs']): Permission => ({
  group: MCS_GROUP,
  resources: ['serviceexports'],
  verbs,
  scope: 'cluster',
  because: 'A Service is exported by a ServiceExport of the same name.',
});

export const exportCommand: PartCommand<ClusterSetConfiguration> = {
  name: 'export',
  atTopLevel: true,
  summary: 'Makes a Service available in all clusters of the clusterset.',
  arguments: [argument],
  permissions: [permission(['get', 'create'])],
  needs: 'configuration',
  async run({ configuration, environment: { client, signal }, words, print }) {
    const key = keyOf(words[0]);
    const settings = await readSettings(configuration, client, { signal });
    if (!isNamespaceAllowed(key.namespace, settings.namespaces))
      throw refused(`the namespace ${key.namespace} may not export Services`);
    const service = await client.find(services, key, { signal });
    if (service === undefined) throw refused(`there is no Service ${key.namespace}/${key.name}`);
    if (service.spec.type === 'ExternalName') throw refused('a Service of type ExternalName cannot be exported');
    const found = await client.find(settings.serviceExports, key, { signal });
    if (found === undefined) await client.create<ServiceExport>(settings.serviceExports, { metadata: key }, { signal });
    const text = `${key.namespace}/${key.name}`;
    print(
      found === undefined
        ? `${text} is exported; fairlead why serviceexport ${text} tells how far it is`
        : `${text} was exported before`,
    );
  },
};

export const unexportCommand: PartCommand<ClusterSetConfiguration> = {
  name: 'unexport',
  atTopLevel: true,
  summary: 'Takes a Service of this cluster back from the clusterset.',
  arguments: [argument],
  permissions: [permission(['get', 'delete'])],
  needs: 'configuration',
  async run({
    configuration,
    environment: { client, signal },
    words,
    print,
  }: ConfiguredInvocation<ClusterSetConfiguration>) {
    const key = keyOf(words[0]);
    const { serviceExports } = await readSettings(configuration, client, { signal });
    try {
      await client.delete(serviceExports, key, { signal });
      print(`${key.namespace}/${key.name} is no longer exported`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      print(`${key.namespace}/${key.name} was not exported`);
    }
  },
};

function keyOf(word: string | undefined): { readonly namespace: string; readonly name: string } {
  const [namespace, name, ...rest] = (word ?? '').split('/');
  if (namespace && name && rest.length === 0) return { namespace, name };
  throw refused(`"${word}" names no Service: give its namespace and name, as in shop/web`);
}

function refused(message: string): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code: 'export-refused' });
}
