import { describe, expect, it } from 'vitest';
import { trustedLink } from './links.ts';

const endpoint = 'https://management.azure.com';

describe('a link in an answer', () => {
  it.each(['https://management.azure.com/subscriptions/1?a=b', 'https://eastus.management.azure.com/subscriptions/1'])(
    'is followed to %s',
    (link) => {
      expect(trustedLink('GET x', endpoint, link)).toBe(link);
    },
  );

  it('may leave out the host', () => {
    expect(trustedLink('GET x', 'http://127.0.0.1:8080', '/next?page=2')).toBe('http://127.0.0.1:8080/next?page=2');
  });

  it.each([
    'http://management.azure.com/',
    'https://management.azure.com:8443/',
    'https://elsewhere.test/',
    'https://evilmanagement.azure.com/',
    'https://management.azure.com.evil.test/',
    'javascript:alert(1)',
  ])('is not followed to %s, which would be shown our token', (link) => {
    expect(() => trustedLink('GET x', endpoint, link)).toThrowError(
      expect.objectContaining({ code: 'untrusted-link', verdict: 'terminal' }),
    );
  });
});
