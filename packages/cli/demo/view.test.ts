import { VirtualClock } from '@fairlead/control';
import type { KubeEvent, Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { paletteFor, plain } from '../render/palette.ts';
import { recent, type Scene, sceneService, Stopwatch } from './scene.ts';
import { renderPage, renderScene, renderServices } from './view.ts';

function service(name: string, loadBalancerClass: string, status: Service['status'] = {}): Service {
  const ports = [{ port: 80 }, { port: 443 }];
  return { metadata: { namespace: 'shop', name }, spec: { type: 'LoadBalancer', loadBalancerClass, ports }, status };
}

const programmed = {
  loadBalancer: { ingress: [{ ip: '192.0.2.10' }] },
  conditions: [
    {
      type: 'fairlead.dev/Programmed',
      status: 'True' as const,
      reason: 'Programmed',
      message: 'Reachable at 192.0.2.10.',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
};

function scene(...services: readonly Service[]): Scene {
  return {
    seconds: 2.34,
    services: services.map((one) => sceneService(one, new Set(['fairlead.dev/gateway']))),
    parts: [{ name: 'gateway', done: 1, total: 1 }],
    missing: [],
    activity: ['12:00:01 shop/web EnsuredLoadBalancer: Reachable at 192.0.2.10 and at another address, too.'],
  };
}

const small = { columns: 60, rows: 16, palette: plain };

describe('the view of the demo', () => {
  it('counts what it shows, and calls Services that are not ours so', () => {
    const shown = scene(service('web', 'fairlead.dev/gateway', programmed), service('other', 'example.org/x'));
    expect(renderScene(shown)).toEqual([
      '1 of 1 Services programmed, after 2.3 s',
      '',
      'SERVICE     CLASS          PORTS           ADDRESS     STATE',
      'shop/web    gateway        80/TCP,443/TCP  192.0.2.10  Reachable at 192.0.2.10.',
      'shop/other  example.org/x  80/TCP,443/TCP  <none>      not ours',
      '',
      'gateway: 1 of 1 done, ready',
    ]);
  });

  it('has a word for how a Service is', () => {
    const classes = new Set(['fairlead.dev/gateway']);
    const stateOf = (status: Service['status'], metadata: Partial<Service['metadata']> = {}) => {
      const one = service('web', 'fairlead.dev/gateway', status);
      return sceneService({ ...one, metadata: { ...one.metadata, ...metadata } }, classes).state;
    };
    const conditions = programmed.conditions.map((one) => ({ ...one, status: 'False' as const }));
    expect(stateOf(programmed)).toBe('programmed');
    expect(stateOf(programmed, { deletionTimestamp: '2026-01-01T00:00:00Z' })).toBe('being deleted');
    expect(stateOf({ conditions })).toBe('refused');
    expect(stateOf({ ...programmed, conditions })).toBe('waiting');
    expect(stateOf({})).toBe('waiting');
  });

  it('shows how each Service is, however long the name of one of them', () => {
    const services = [service(`refused-${'x'.repeat(55)}`, 'fairlead.dev/gateway'), service('web', 'example.org/x')];
    const lines = renderServices(scene(...services), 0, small);
    expect(lines).toContain('> shop/refused-xxxxxxxxx…  80/TCP,443/TCP  <none>   waiting');
    expect(lines).toContain('  shop/web                 80/TCP,443/TCP  <none>   not ours');
  });

  it('fits the screen, and keeps the selected Service on it', () => {
    const many = Array.from({ length: 30 }, (_, index) => service(`web-${index}`, 'fairlead.dev/gateway'));
    const lines = renderServices(scene(...many), 25, small);
    expect(lines).toHaveLength(16);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
    expect(lines).toContain('> shop/web-25  80/TCP,443/TCP  <none>   waiting');
    expect(lines).toContain('  … 25 more');
    expect(lines.at(-1)).toContain('q quit');
    expect(lines).toContainEqual(expect.stringMatching(/^12:00:01 shop\/web .*…$/));
  });

  it('has no more lines than a screen that is hardly there', () => {
    expect(renderServices(scene(service('web', 'fairlead.dev/gateway')), 0, { ...small, rows: 6 })).toHaveLength(6);
  });

  it('has a colour for how a Service is', () => {
    const palette = paletteFor(true, {});
    const lines = renderServices(scene(service('web', 'fairlead.dev/gateway', programmed)), 1, { ...small, palette });
    expect(lines).toContain(`  shop/web  80/TCP,443/TCP  192.0.2.10  ${palette.good('programmed')}`);
  });

  it('breaks a page between words, and scrolls no further than its end', () => {
    const text = ['begin', '    - a rather long line that is broken'];
    const { lines, scroll } = renderPage(text, 99, { columns: 20, rows: 4, palette: plain });
    expect(lines.slice(0, 3)).toEqual(['    - a rather long', '      line that is', '      broken']);
    expect(scroll).toBe(1);
  });
});

it('the newest activity of the demo is told first, by when it was seen last', () => {
  const event = (name: string, eventTime: string, lastObservedTime?: string): KubeEvent => ({
    metadata: { namespace: 'shop', name },
    eventTime,
    ...(lastObservedTime === undefined ? {} : { series: { count: 2, lastObservedTime } }),
    reportingController: 'fairlead.dev/gateway',
    reportingInstance: 'fairlead-0',
    action: 'Reconcile',
    reason: 'Seen',
    type: 'Normal',
    regarding: { kind: 'Service', namespace: 'shop', name },
    note: 'again',
  });
  const told = recent([
    event('first', '2026-01-01T10:00:00Z'),
    event('again', '2026-01-01T09:00:00Z', '2026-01-01T12:00:00Z'),
    event('last', '2026-01-01T11:00:00Z'),
  ]);
  expect(told).toEqual([
    '12:00:00 shop/again Seen: again',
    '11:00:00 shop/last Seen: again',
    '10:00:00 shop/first Seen: again',
  ]);
});

describe('the clock of the demo', () => {
  it('stops when all is programmed, and starts anew when something is not', async () => {
    const clock = new VirtualClock();
    const stopwatch = new Stopwatch(clock);
    await clock.advance(2_000);
    expect(stopwatch.look(false)).toBe(2);
    expect(stopwatch.look(true)).toBe(2);
    await clock.advance(60_000);
    expect(stopwatch.look(true)).toBe(2);
    expect(stopwatch.look(false)).toBe(0);
    await clock.advance(3_000);
    expect(stopwatch.look(true)).toBe(3);
  });

  it('shows what a tenant wrote in one line, and moves nothing by it', () => {
    const forged = {
      ...programmed,
      conditions: programmed.conditions.map((one) => ({ ...one, message: 'x\u009b2J\nforged' })),
    };
    const shown = { ...scene(service('web', 'fairlead.dev/gateway', forged)), activity: ['a\u001b[2J\nb'] };
    expect(renderScene(shown).join('|')).toContain('x\\u009b2J forged');
    expect(renderServices(shown, 0, small)).toContain('a\\u001b[2J b');
    expect(renderPage(['a\u001b[2Jb'], 0, small).lines[0]).toBe('a\\u001b[2Jb');
  });

  it('breaks a line that is indented further than the screen is wide', () => {
    expect(renderPage([`${'- '.repeat(40)}end`], 0, small).lines.join('')).toContain('end');
  });
});
