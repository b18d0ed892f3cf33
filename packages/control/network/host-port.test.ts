import { expect, it } from 'vitest';
import { joinHostPort } from './host-port.ts';

it('puts IPv6 addresses in brackets, and nothing else', () => {
  expect(joinHostPort('192.0.2.1', 80)).toBe('192.0.2.1:80');
  expect(joinHostPort('2001:db8::1', 80)).toBe('[2001:db8::1]:80');
  expect(joinHostPort('web.example', '443')).toBe('web.example:443');
});
