/** How a part is doing, in one screen. */
export interface PartStatus {
  /** One sentence. */
  readonly summary: string;
  /** Figures worth showing, in order: `{ 'Services served': 12 }`. */
  readonly figures: Readonly<Record<string, number | string>>;
}
