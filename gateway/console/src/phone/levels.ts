// The two level meters. Apart from the phone's state, because they change 25 times a second and only meters care.

export interface Levels {
  caller: number;
  agent: number;
}

const SILENT: Levels = { caller: 0, agent: 0 };

export class LevelStore {
  #now = SILENT;
  #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly get = (): Levels => this.#now;

  set(part: Partial<Levels>): void {
    this.#now = { ...this.#now, ...part };
    for (const listener of this.#listeners) listener();
  }
  reset(): void {
    this.set(SILENT);
  }
}
