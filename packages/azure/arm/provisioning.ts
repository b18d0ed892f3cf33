/** Of what Azure answers, only its state matters here. */
interface Provisioned {
  readonly properties: { readonly provisioningState?: string };
}

const FAILED: ReadonlySet<string> = new Set(['failed', 'canceled']);
const SETTLED: ReadonlySet<string> = new Set([...FAILED, 'succeeded']);

/** Whether Azure is still at work on the resource: its state is none of those in which that ends. */
export function isUnderWay({ properties }: Provisioned): boolean {
  const { provisioningState: state } = properties;
  return state !== undefined && !SETTLED.has(state.toLowerCase());
}

/** Whether Azure failed at what was written last: it shows that, and has not done it. */
export function hasFailed({ properties }: Provisioned): boolean {
  return FAILED.has(properties.provisioningState?.toLowerCase() ?? '');
}
