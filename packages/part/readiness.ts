/** Whether a part can do its work. `reason` is what an operator reads first. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** Where a running part says whether it is ready. One part being unready never makes another unready. */
export interface ReadinessReport {
  set(readiness: Readiness): void;
}
