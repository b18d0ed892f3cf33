import { resolve } from 'node:path';
import { FairleadError, isRecord } from '@fairlead/control';
import type { Material } from './target.ts';

/** A map in a kubeconfig, read field by field. What is not as it should be is told with its place. */
export class Fields {
  /** Where this is, such as `users[2].user`. */
  readonly place: string;
  readonly #file: string;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #folder: string;

  constructor(file: string, place: string, values: Readonly<Record<string, unknown>>, folder: string) {
    this.#file = file;
    this.place = place;
    this.#values = values;
    this.#folder = folder;
  }

  /** An empty text counts as absent. */
  text(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null || value === '') return undefined;
    // An unquoted name of digits is a number to YAML.
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'string') throw this.wrong(name, 'must be text');
    return value;
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw this.wrong(name, 'is missing');
    return value;
  }

  flag(name: string): boolean {
    const value = this.#values[name] ?? false;
    if (typeof value !== 'boolean') throw this.wrong(name, 'must be true or false');
    return value;
  }

  has(name: string): boolean {
    const value = this.#values[name];
    return value !== undefined && value !== null;
  }

  get names(): readonly string[] {
    return Object.keys(this.#values);
  }

  raw(name: string): unknown {
    return this.#values[name];
  }

  /** Absent is empty. */
  map(name: string): Fields {
    const value = this.#values[name] ?? {};
    if (!isRecord(value)) throw this.wrong(name, 'must be a map');
    return new Fields(this.#file, this.#placeOf(name), value, this.#folder);
  }

  /** A list of maps; absent is empty. */
  list(name: string): readonly Fields[] {
    return this.#array(name).map((item, index) => {
      if (!isRecord(item)) throw this.wrong(`${name}[${index}]`, 'must be a map');
      return new Fields(this.#file, this.#placeOf(`${name}[${index}]`), item, this.#folder);
    });
  }

  texts(name: string): readonly string[] {
    return this.#array(name).map((item, index) => {
      if (typeof item !== 'string') throw this.wrong(`${name}[${index}]`, 'must be text');
      return item;
    });
  }

  /** A certificate or key: `<name>-data` in base64, which wins, or the file `<name>`. */
  pem(name: string): Material | undefined {
    const data = this.text(`${name}-data`);
    if (data === undefined) return this.file(name);
    const text = Buffer.from(data, 'base64').toString('utf8');
    if (!text.includes('-----BEGIN ')) throw this.wrong(`${name}-data`, 'must be PEM in base64');
    return { kind: 'inline', text };
  }

  file(name: string): Material | undefined {
    const path = this.text(name);
    return path === undefined ? undefined : { kind: 'file', path: this.resolve(path) };
  }

  /** A path as seen from the folder of the file. */
  resolve(path: string): string {
    return resolve(this.#folder, path);
  }

  wrong(name: string, what: string): FairleadError {
    return new FairleadError(`kubeconfig ${this.#file}: ${this.#placeOf(name)} ${what}`, {
      verdict: 'terminal',
      code: 'kubeconfig-invalid',
    });
  }

  unsupported(name: string, instead: string): FairleadError {
    return new FairleadError(`kubeconfig ${this.#file}: ${this.#placeOf(name)} is not supported: ${instead}`, {
      verdict: 'terminal',
      code: 'kubeconfig-unsupported',
    });
  }

  #array(name: string): readonly unknown[] {
    const value = this.#values[name] ?? [];
    if (!Array.isArray(value)) throw this.wrong(name, 'must be a list');
    return value;
  }

  #placeOf(name: string): string {
    return this.place === '' ? name : `${this.place}.${name}`;
  }
}
