import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { annotationText, azureAnnotations, idleTimeoutMinutes, refuseAnnotationsBut } from './annotations.ts';

const AZURE = 'service.beta.kubernetes.io/azure-';
const { idleTimeout } = azureAnnotations;

const annotated = (annotations: Readonly<Record<string, string>>): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'shop', name: 'web', annotations },
  spec: {},
});

describe("an annotation of Azure's own controller", () => {
  const check = (name: string, value: string) => () =>
    refuseAnnotationsBut(new Set([idleTimeout]), annotated({ [name]: value }));

  it.each([
    [`${AZURE}dns-label-name`, 'shop', 'a DNS label on its address'],
    [`${AZURE}load-balancer-internal`, 'true', 'an internal load balancer'],
    [`${AZURE}pip-tags`, 'team=shop', 'tags on its address'],
    [`${AZURE}constructor`, 'x', 'something that this load balancer does not know'],
    ['service.beta.kubernetes.io/port_80_no_lb_rule', 'true', 'something that this load balancer does not know'],
  ])('is refused where it is not honoured: %s', (name, value, meaning) => {
    expect(check(name, value)).toThrow(
      expect.objectContaining({
        verdict: 'terminal',
        code: 'annotation-unsupported',
        message: `its annotation ${name} asks for ${meaning}, which cannot be had`,
      }),
    );
  });

  it.each([
    [idleTimeout, '10'],
    [`${AZURE}load-balancer-internal`, ' False '],
    [`${AZURE}dns-label-name`, ''],
    ['example.com/azure-dns-label-name', 'shop'],
  ])('is let through where it is honoured, or asks for nothing, or is not one: %s: "%s"', (name, value) => {
    expect(check(name, value)).not.toThrow();
  });

  it('says nothing when it is empty', () => {
    expect(annotationText(annotated({ [idleTimeout]: ' 7 ' }), idleTimeout)).toBe('7');
    expect(annotationText(annotated({ [idleTimeout]: ' ' }), idleTimeout)).toBeUndefined();
    expect(annotationText(annotated({}), idleTimeout)).toBeUndefined();
  });
});

describe('the idle timeout', () => {
  const minutes = (value: string) => () => idleTimeoutMinutes(annotated({ [idleTimeout]: value }), 30, 'too-long');

  it('is in minutes, and four without an annotation', () => {
    expect(['4', '30', ''].map((value) => minutes(value)())).toEqual([4, 30, 4]);
  });

  it.each(['3', '31', '4.5', 'long'])('cannot be %s', (value) => {
    const message = `its annotation ${idleTimeout} is "${value}": use 4 to 30 minutes`;
    expect(minutes(value)).toThrow(expect.objectContaining({ verdict: 'terminal', code: 'too-long', message }));
  });
});
