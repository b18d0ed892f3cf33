import type { KubeObject } from './meta.ts';

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  /** Values in base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

export interface Secret extends KubeObject {
  readonly type?: string;
  /** Values in base64. */
  readonly data?: Readonly<Record<string, string>>;
  /** Plain text, for writing only: the server moves it into `data`. */
  readonly stringData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}
