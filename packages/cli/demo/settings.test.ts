import { expect, it } from 'vitest';
import { readConfiguration } from '../configuration/read.ts';
import { activeParts } from '../configured-parts.ts';
import { parts } from '../parts.ts';
import { exampleSettings } from './settings.ts';

it('fairlead demo --print-config prints what the demo runs with, as a configuration that is accepted', () => {
  const configuration = readConfiguration(exampleSettings(parts), 'fairlead.yaml', parts);
  const withScene = parts.filter(({ demo }) => demo !== undefined).map(({ name }) => name);
  expect(activeParts(configuration, parts).map(({ part }) => part.name)).toEqual(withScene);
  // Azure itself does not talk to strangers.
  expect(configuration.parts['azure-local']).toMatchObject({ cloud: { useManagedIdentityExtension: true } });
});
