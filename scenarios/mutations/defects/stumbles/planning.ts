import type { Defect } from '../../defect.ts';

const HELD = { unit: 'packages/gateway/controller/report/held-back.test.ts' };

/** Of what a plan says is lost, and of the brake: what is told while it holds, and who lets it go. */
export const planningDefects: readonly Defect[] = [
  {
    name: 'a plan does not say which address a Service loses',
    file: 'packages/cli/render/plan.ts',
    find: "bad(oneLine(`; loses ${loses.join(' and ')}`))",
    replace: "bad(oneLine(''))",
    foundBy: { unit: 'packages/cli/render/render.test.ts' },
  },
  {
    name: 'a plan takes no address for lost where a Service is refused',
    file: 'packages/service/service-report.ts',
    find: "reading.kind === 'release' ? [] : (addresses ?? shown)",
    replace: "reading.kind === 'release' ? [] : reading.kind === 'refuse' ? shown : (addresses ?? shown)",
    foundBy: HELD,
  },
  {
    name: 'a plan takes no address for lost where a Service moves to another',
    file: 'packages/service/service-report.ts',
    find: "reading.kind === 'release' ? [] : (addresses ?? shown)",
    replace: "reading.kind === 'serve' ? shown : reading.kind === 'release' ? [] : (addresses ?? shown)",
    foundBy: HELD,
  },
  {
    name: 'a plan does not say what the brake would hold back',
    file: 'packages/gateway/controller/part.ts',
    find: 'const held = hold === undefined ? {} : { heldBack: hold.message };',
    replace: 'const held = {};',
    foundBy: HELD,
  },
  {
    name: 'a plan that has something to do exits with 0',
    file: 'packages/cli/program.ts',
    find: 'if (hasChanges && options.detailedExitcode === true) throw new Ending(CHANGES);',
    replace: 'if (hasChanges && options.detailedExitcode === true) throw new Ending(CHANGES - 2);',
    foundBy: { unit: 'packages/cli/commands/commands.test.ts' },
  },
  {
    name: 'a plan says that a Service is refused, and not why',
    file: 'packages/service/service-report.ts',
    find: 'detail: `${reading.refusal.code}: ${reading.refusal.message}`',
    replace: 'detail: reading.refusal.code',
    foundBy: HELD,
  },
  {
    name: 'while the brake holds, why tells what is wanted as if it were so',
    file: 'packages/gateway/controller/part.ts',
    find: 'if (hold !== undefined && held.has(key) &&',
    replace: 'if (hold !== undefined && !held.has(key) &&',
    foundBy: HELD,
  },
  {
    name: 'while the brake holds, status counts no Service as served',
    file: 'packages/gateway/controller/report/part-plan.ts',
    find: "'Services served': served - lacking.length + held.size,",
    replace: "'Services served': served - lacking.length,",
    foundBy: HELD,
  },
  {
    name: 'nothing releases what the brake holds back',
    file: 'packages/gateway/controller/withdrawal-brake.ts',
    find: 'releases?.onRelease(() => this.#release());',
    replace: 'releases?.onRelease(() => this.#until < 0 && this.#release());',
    foundBy: { unit: 'packages/gateway/controller/withdrawal-brake.test.ts' },
  },
  {
    name: 'the brake names no command that releases it',
    file: 'packages/gateway/controller/withdrawal-brake.ts',
    find: 'releaseCommand: releases?.command,',
    replace: '',
    foundBy: { unit: 'packages/gateway/controller/withdrawal-brake.test.ts' },
  },
  {
    name: 'a leader does not see that an operator releases what it holds back',
    file: 'packages/part/run-part.ts',
    find: 'onLease: (lease) => releases.observe(lease),',
    replace: '',
    foundBy: { unit: 'packages/part/run-part.test.ts' },
  },
  {
    name: 'the command that the brake names marks nothing',
    file: 'packages/cli/commands/release.ts',
    find: 'annotations: { [RELEASE_ANNOTATION]: mark }',
    replace: 'annotations: { [`${RELEASE_ANNOTATION}d`]: mark }',
    foundBy: { unit: 'packages/cli/commands/why-release.test.ts' },
  },
  {
    name: 'the log does not say that an operator released what the brake held back',
    file: 'packages/gateway/controller/controller.ts',
    find: "if (isHeld) logger.info({ held: held.length }, 'an operator releases what is held back');",
    replace: "if (isHeld) logger.debug({ held: held.length }, 'an operator releases what is held back');",
    foundBy: HELD,
  },
  {
    name: 'a Service waits out the brake although an operator released it',
    file: 'packages/gateway/controller/controller.ts',
    find: '  releases?.onRelease(onRelease, signal);\n',
    replace: '  if (signal.aborted) releases?.onRelease(onRelease, signal);\n',
    foundBy: HELD,
  },
  {
    name: 'a served Service loses its address by a request that cannot be honoured',
    file: 'packages/gateway/controller/outcome.ts',
    find: 'const kept = request === undefined ? undefined : allocator.keep(request);',
    replace: "const kept = request === undefined || key !== '' ? undefined : allocator.keep(request);",
    foundBy: { unit: 'packages/gateway/controller/reconciler.test.ts' },
  },
];
