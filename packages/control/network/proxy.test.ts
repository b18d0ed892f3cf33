import { describe, expect, it } from 'vitest';
import { proxyFromEnvironment, unusedProxy } from './proxy.ts';

const PROXY = 'http://proxy.example.org:3128';

function proxyFor(url: string, environment: Readonly<Record<string, string>>): string | undefined {
  return proxyFromEnvironment(new URL(url), environment)?.origin;
}

describe('the proxy of the environment', () => {
  it('is for https, in capitals or not, with a scheme or without', () => {
    expect(proxyFor('https://api.example.org', { HTTPS_PROXY: PROXY })).toBe(PROXY);
    expect(proxyFor('https://api.example.org', { https_proxy: 'proxy.example.org:3128' })).toBe(PROXY);
    expect(proxyFor('http://api.example.org', { HTTPS_PROXY: PROXY })).toBeUndefined();
    expect(proxyFor('https://api.example.org', {})).toBeUndefined();
  });

  it.each(['https://localhost:6443', 'https://127.0.0.1', 'https://[::1]:6443'])('is not for %s', (url) => {
    expect(proxyFor(url, { HTTPS_PROXY: PROXY })).toBeUndefined();
  });

  it.each([
    ['*', 'https://a.example.org', true],
    ['example.org', 'https://a.example.org', true],
    ['example.org', 'https://example.org', true],
    ['example.org', 'https://anexample.org', false],
    ['.example.org', 'https://a.example.org', true],
    ['.example.org', 'https://example.org', false],
    ['*.example.org', 'https://a.example.org', true],
    ['other, A.Example.org', 'https://a.example.org', true],
    ['a.example.org:6443', 'https://a.example.org:6443', true],
    ['a.example.org:6443', 'https://a.example.org', false],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.1.2.3', 'https://10.1.2.3:443', true],
    ['2001:db8::/32', 'https://[2001:db8::1]', true],
    ['[2001:db8::1]:443', 'https://[2001:db8::1]', true],
    ['2001:db8::2', 'https://[2001:db8::1]', false],
  ])('is with NO_PROXY=%s for %s not used: %s', (noProxy, url, isExempt) => {
    expect(proxyFor(url, { HTTPS_PROXY: PROXY, NO_PROXY: noProxy }) === undefined).toBe(isExempt);
  });

  it.each(['socks5://me:secret@proxy.example.org', 'http://'])(
    'is not gone past where it cannot be used: %s',
    (proxy) => {
      expect(() => proxyFor('https://a.example.org', { HTTPS_PROXY: proxy })).toThrow(
        `the proxy ${proxy.replace('me:secret@', '')} cannot be used`,
      );
      expect(proxyFor('https://a.example.org', { HTTPS_PROXY: proxy, NO_PROXY: '*' })).toBeUndefined();
    },
  );

  it('is the one in small letters where that in capitals is empty', () => {
    expect(proxyFor('https://a.example.org', { HTTPS_PROXY: '', https_proxy: PROXY })).toBe(PROXY);
  });

  it('is named by HTTPS_PROXY alone, and what names another is told', () => {
    expect(unusedProxy({ http_proxy: PROXY })).toBe(
      'HTTP_PROXY is not honoured: set HTTPS_PROXY, which is for all that has a proxy',
    );
    expect(unusedProxy({ ALL_PROXY: 'socks5://p' })).toMatch(/^ALL_PROXY is not honoured/);
    expect(unusedProxy({ HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY })).toBeUndefined();
    expect(unusedProxy({})).toBeUndefined();
  });
});
