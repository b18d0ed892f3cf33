import { Journal, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { renderFinding, wrong } from '../check/finding.ts';
import { paletteFor, plain } from './palette.ts';
import { renderPlan } from './plan.ts';
import { renderReport } from './why.ts';

describe('renderReport', () => {
  it('tells what is wanted, there, tried, waited for, and when it is tried again', async () => {
    const clock = new VirtualClock({ startsAt: Date.UTC(2026, 0, 1, 12) });
    const journal = new Journal(clock);
    journal.record('x', { kind: 'step', step: 'publish-status', call: 'PATCH services/status', outcome: 'failed' });
    journal.record('x', { kind: 'error', code: 'timeout', verdict: 'retriable', message: 'no answer' });
    await clock.advance(5_000);
    journal.record('x', { kind: 'error', code: 'timeout', verdict: 'retriable', message: 'no answer' });
    journal.record('x', { kind: 'waiting', for: 'what failed: timeout', retryAt: clock.now() + 60_000 });
    const explanation = {
      answer: 'Service shop/web is to have 192.0.2.1, which is not all written yet.',
      state: 'working',
      wanted: ['an IPv4 address with TCP/80'],
      there: ['no address'],
      waitsFor: 'the leader to write: publish-status',
    } as const;
    expect(renderReport({ part: 'gateway', explanation, leader: 'led by one', tried: journal.entries('x') })).toBe(
      `Service shop/web is to have 192.0.2.1, which is not all written yet.
  Wanted:
    - an IPv4 address with TCP/80
  There:
    - no address
  Led:
    - gateway: led by one
  Tried:
    - 2026-01-01 12:00:00Z publish-status (PATCH services/status) failed
    - 2026-01-01 12:00:00Z failed (timeout, retriable): no answer (2 times, last at 2026-01-01 12:00:05Z)
  Waits for:
    - the leader to write: publish-status
  Tries again:
    - at 2026-01-01 12:01:05Z, after what failed: timeout`,
    );
  });

  it('tells of no retry that is under way or over', () => {
    const journal = new Journal(new VirtualClock());
    const explanation = { answer: 'It is written.', state: 'working', wanted: [], there: [] } as const;
    const report = () => renderReport({ part: 'gateway', explanation, tried: journal.entries('x') });
    journal.record('x', { kind: 'waiting', for: 'what failed: timeout', retryAt: 60_000 });
    expect(report()).toContain('Tries again');
    journal.record('x', { kind: 'step', step: 'publish-status', call: 'PATCH services/status', outcome: 'started' });
    expect(report()).not.toContain('Tries again');
  });

  it('says that nobody was asked what was tried, and no more than the answer for what is not ours', () => {
    const explanation = { answer: 'It is stuck.', state: 'stuck', wanted: [], there: [] } as const;
    const report = { part: 'gateway', explanation, tried: 'nobody leads' };
    expect(renderReport(report)).toContain('unknown: no running Fairlead could be asked: nobody leads');
    expect(renderReport({ ...report, explanation: { ...explanation, state: 'not-ours' } })).toBe('It is stuck.');
  });
});

describe('what a tenant wrote', () => {
  const forged = 'x\n  Led:\n    - gateway: led by one';

  it('makes no line of its own in a report', () => {
    const explanation = {
      answer: forged,
      state: 'stuck',
      wanted: [forged],
      there: [forged],
      waitsFor: forged,
    } as const;
    const lines = renderReport({ part: 'gateway', explanation, tried: forged }).split('\n');
    expect(lines).not.toContain('  Led:');
    expect(lines).toHaveLength(11);
  });

  it('makes no line of its own in a plan', () => {
    const changes = [{ action: 'create', subject: forged, detail: forged, writes: 1, loses: [forged] }] as const;
    expect(renderPlan('gateway', { changes, heldBack: forged }).split('\n')).toHaveLength(3);
  });

  it('makes no line of its own among the findings of a check', () => {
    expect(renderFinding(wrong('gateway', forged), plain)).toBe('✗ gateway: x Led: - gateway: led by one');
  });
});

describe('colours', () => {
  const colours = paletteFor(true, {});

  it('tell at a glance how an object is', () => {
    const explanation = { answer: 'It is stuck.', state: 'stuck', wanted: ['a'], there: [] } as const;
    const [answer, title] = renderReport({ part: 'gateway', explanation, tried: [] }, colours).split('\n');
    expect(answer).toBe(colours.bad('It is stuck.'));
    expect(title).toBe(colours.strong('  Wanted:'));
  });

  it('tell what a plan takes away', () => {
    const change = { action: 'delete', subject: 'Service shop/web', detail: 'goes', writes: 1, loses: ['192.0.2.9'] };
    const plan = { changes: [{ ...change, action: 'delete' as const }] };
    expect(renderPlan('gateway', plan, colours)).toContain(
      `  ${colours.bad('-')} Service shop/web: goes${colours.bad('; loses 192.0.2.9')}`,
    );
  });
});

describe('renderPlan', () => {
  it('lists what would be written, sums up what is as wanted, and counts the calls', () => {
    const changes = [
      { action: 'create', subject: 'Service shop/web', detail: 'gets 192.0.2.1', writes: 2 },
      { action: 'adopt', subject: 'Service shop/mail', detail: 'gets 192.0.2.2', writes: 0 },
      { action: 'refuse', subject: 'Service shop/odd', detail: 'port-taken', writes: 0 },
    ] as const;
    expect(renderPlan('gateway', { changes })).toBe(
      `gateway: 1 to create, 1 to refuse, 2 write calls
  + Service shop/web: gets 192.0.2.1
  ! Service shop/odd: port-taken
  = 1 already as wanted`,
    );
    const moved = { action: 'update', subject: 'Service shop/web', detail: 'gets 192.0.2.1', writes: 1 } as const;
    const plan = { changes: [{ ...moved, loses: ['192.0.2.9'] }], heldBack: 'Holding back.' };
    expect(renderPlan('gateway', plan)).toBe(
      `gateway: 1 to update, 1 address lost, 1 write calls
  Holding back.
  ~ Service shop/web: gets 192.0.2.1; loses 192.0.2.9`,
    );
    expect(renderPlan('gateway', { changes: [] })).toBe('gateway: nothing to do, 0 write calls');
  });
});
