import { describe, expect, it } from 'vitest';
import { nameOf, typedAs } from './called-as.ts';

describe('how the program was called', () => {
  it.each([
    [['/bin/node', '/bin/fairlead'], {}, 'fairlead', 'fairlead'],
    [['/bin/node', '/bin/kubectl-fairlead'], {}, 'kubectl fairlead', 'kubectl fairlead'],
    [['/bin/node', '/src/start.ts'], { npm_lifecycle_event: 'start' }, 'fairlead', 'npm start -s --'],
    [
      ['/bin/node', '/src/start.ts'],
      { npm_lifecycle_event: 'start', npm_config_local_prefix: '/src' },
      'fairlead',
      'npm start -s --prefix /src --',
    ],
    [['/bin/node', '/src/main.ts'], {}, 'fairlead', '/bin/node /src/main.ts'],
  ])('is told from %o %o', (words, environment, name, typed) => {
    expect(nameOf(words)).toBe(name);
    expect(typedAs(words, environment)).toBe(typed);
  });
});
