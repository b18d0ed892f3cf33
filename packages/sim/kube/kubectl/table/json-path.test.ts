import { describe, expect, it } from 'vitest';
import { parseJsonPath } from './json-path.ts';

const ship = {
  name: 'Gull',
  tags: { 'a.b': 'dotted', z: 1 },
  lines: [
    { name: 'bow', length: 10, held: true },
    { name: 'stern', length: 20 },
  ],
};

describe('a path into an object', () => {
  const at = (path: string) => parseJsonPath(path)(ship);

  it('follows names, also those with dots in them', () => {
    expect(at('.name')).toEqual(['Gull']);
    expect(at('.lines')).toEqual([ship.lines]);
    expect(at(String.raw`.tags.a\.b`)).toEqual(['dotted']);
    expect(at(".tags['z']")).toEqual([1]);
    expect(at('.tags.*')).toEqual(['dotted', 1]);
  });

  it('counts from either end of a list', () => {
    expect(at('.lines[0].name')).toEqual(['bow']);
    expect(at('.lines[-1].name')).toEqual(['stern']);
    expect(at('.lines[*].name')).toEqual(['bow', 'stern']);
    expect(at('.lines[0:1].name')).toEqual(['bow']);
    expect(at('.lines[1:].name')).toEqual(['stern']);
  });

  it('chooses items by what they hold', () => {
    expect(at('.lines[?(@.name=="stern")].length')).toEqual([20]);
    expect(at(".lines[?(@.name!='stern')].length")).toEqual([10]);
    expect(at('.lines[?(@.length>10)].name')).toEqual(['stern']);
    expect(at('.lines[?(@.length <= 10)].name')).toEqual(['bow']);
    expect(at('.lines[?(@.length >= 20)].name')).toEqual(['stern']);
    expect(at('.lines[?(@.length < 20)].name')).toEqual(['bow']);
    expect(at('.lines[?(@.held)].name')).toEqual(['bow']);
    expect(at('.lines[?(@.held==true)].name')).toEqual(['bow']);
  });

  it('finds nothing where there is nothing', () => {
    const places = [
      '.absent.deeper',
      '.name.deeper',
      '.lines[7].name',
      '.name[0]',
      '.name[0:1]',
      '.lines[?(@.name>1)]',
    ];
    expect(places.flatMap(at)).toEqual([]);
    expect(at('.name]')).toEqual([]);
  });
});
