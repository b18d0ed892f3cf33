import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They wait, for a Lease to run out or for a cloud, and others can work meanwhile. */
const LONG_WAITS = ['e2e/log.test.ts', 'e2e/openstack/contract.test.ts'];

/** Vitest begins with what took longest in the run before; a fresh checkout has none, and would begin with the largest. */
export class LongWaitsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => Number(waitsLong(other)) - Number(waitsLong(one)));
  }
}

function waitsLong({ moduleId }: TestSpecification): boolean {
  return LONG_WAITS.some((file) => moduleId.endsWith(`/${file}`));
}
