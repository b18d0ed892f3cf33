import type { Resource } from '../api/resource.ts';
import type { KubeObject } from '../types/meta.ts';

/** Of parsed YAML documents, those of this kind. */
export function documentsOf<Kind extends KubeObject>(
  { kind }: Resource<Kind>,
  documents: readonly unknown[],
): readonly Kind[] {
  const isOfKind = (document: unknown): document is Kind =>
    typeof document === 'object' && document !== null && 'kind' in document && document.kind === kind;
  return documents.filter(isOfKind);
}
