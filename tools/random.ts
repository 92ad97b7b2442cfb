/**
 * Random numbers that a seed repeats.
 *
 * @module
 */

/** A generator of random choices; the same seed makes the same choices in every run. */
export class Random {
  #state: number;

  /**
   * Starts the sequence of a seed.
   *
   * @param seed A whole number; neighbouring seeds start unrelated sequences.
   */
  constructor(seed: number) {
    this.#state = seed;
  }

  /**
   * Chooses a number.
   *
   * @param limit What the number stays below.
   * @returns A whole number from 0 to limit - 1.
   */
  below(limit: number): number {
    // A counter, stirred until every bit of it has reached every bit of the result.
    let mixed = this.#state = this.#state + 0x9e3779b9 >>> 0;
    for (const factor of [0x85ebca6b, 0xc2b2ae35]) {
      mixed = Math.imul(mixed ^ mixed >>> 16, factor);
      mixed ^= mixed >>> 13;
    }
    return Math.floor((mixed >>> 0) / 2 ** 32 * limit);
  }

  /**
   * Chooses one of several things.
   *
   * @param things What to choose from, at least one.
   * @returns One of them.
   */
  pick<T>(things: ArrayLike<T>): T {
    return things[this.below(things.length)];
  }

  /**
   * Says yes once in so many times.
   *
   * @param times How many, on average.
   * @returns `true` that rarely.
   */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }
}
