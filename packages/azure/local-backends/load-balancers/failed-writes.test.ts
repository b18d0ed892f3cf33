import { serviceUid } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { serviceMark } from '../names.ts';
import { ids } from '../../arm/testing/emulated.ts';
import { FailedWrites } from './failed-writes.ts';

const [web, api] = [serviceMark(serviceUid('web')), serviceMark(serviceUid('api'))];

describe('the writes that Azure failed at', () => {
  it('are remembered for all that they were for, until one of the same resource succeeds', () => {
    const writes = new FailedWrites();
    writes.failed(ids.loadBalancer('one'), [web]);
    writes.failed(ids.loadBalancer('one'), [api]);
    writes.failed(ids.loadBalancer('two'), [api]);
    const isFor = (name: string) => [web, api].map((mark) => writes.isFor(ids.loadBalancer(name), mark));
    expect([isFor('one'), isFor('two'), isFor('three')]).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
    writes.succeeded(ids.loadBalancer('one'));
    expect([isFor('one'), isFor('two')]).toEqual([
      [false, false],
      [false, true],
    ]);
  });
});
