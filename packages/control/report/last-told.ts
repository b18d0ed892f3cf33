/** What was last told about each key: the same is told once, and again only after something else. */
export class LastTold<Key> {
  readonly #texts = new Map<Key, string>();

  /** Takes note of what there is to tell, which may be nothing. Whether it is to be told now. */
  isNews(key: Key, text: string): boolean {
    const before = this.#texts.get(key) ?? '';
    if (text === '') this.#texts.delete(key);
    else this.#texts.set(key, text);
    return text !== '' && text !== before;
  }

  forget(key: Key): void {
    this.#texts.delete(key);
  }
}
