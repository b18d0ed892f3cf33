import { describe, expect, it } from 'vitest';
import { OutcomeCounts } from './outcome-counts.ts';

const gauge = { name: 'services', kind: 'gauge', help: 'Services.', labels: ['outcome'] } as const;

describe('OutcomeCounts', () => {
  it('keeps the gauge in step with what was decided last for each object', () => {
    const gauges: Record<string, number> = {};
    const set = (_: unknown, value: number, labels: Readonly<Record<string, string>> = {}) => {
      gauges[labels['outcome'] ?? ''] = value;
    };
    const counts = new OutcomeCounts<'serve' | 'refuse'>({ declare() {}, increment() {}, observe() {}, set }, gauge);
    counts.set('shop/web', 'serve');
    counts.set('shop/mail', 'serve');
    counts.set('shop/mail', 'refuse');
    counts.set('shop/mail', 'refuse');
    expect(gauges).toEqual({ serve: 1, refuse: 1 });
    expect(counts.get('shop/mail')).toBe('refuse');
    counts.set('shop/web', undefined);
    counts.set('shop/unknown', undefined);
    expect(gauges).toEqual({ serve: 0, refuse: 1 });
    expect(counts.get('shop/web')).toBeUndefined();
  });
});
