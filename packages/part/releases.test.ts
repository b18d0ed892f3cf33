import { describe, expect, it } from 'vitest';
import { RELEASE_ANNOTATION, Releases } from './releases.ts';

function setUp() {
  const releases = new Releases('gateway');
  let told = 0;
  releases.onRelease(() => (told += 1));
  const observe = (mark?: string) => {
    releases.observe({
      metadata: { name: 'l', ...(mark === undefined ? {} : { annotations: { [RELEASE_ANNOTATION]: mark } }) },
    });
    return told;
  };
  return { releases, observe };
}

describe('Releases', () => {
  it('tells of a mark that was put there while we led, once', () => {
    const { observe } = setUp();
    expect([observe(), observe('1'), observe('1'), observe('2'), observe()]).toEqual([0, 1, 1, 2, 2]);
  });

  it('takes a mark from before we led for an old one', () => {
    const { observe } = setUp();
    expect([observe('1'), observe('1'), observe('2')]).toEqual([0, 0, 1]);
  });

  it('knows the command that puts the mark there', () => {
    expect(setUp().releases.command).toBe('fairlead release gateway');
  });
});
