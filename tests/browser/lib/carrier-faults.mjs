// What goes wrong at the carrier, where a test wants it so: with requests to its REST interface, and with its callbacks.

/** The carrier's own codes of what it answers: too many requests, a fault of its own, a number that this account may not call. */
const codeOf = (status) => (status === 429 ? 20429 : status >= 500 ? 20500 : 21215);

/**
 * A request is one that places a call (`place`), changes or ends one (`change`), or asks for some (`look`). What goes wrong with it:
 *   { status, code, retryAfter }  nothing is done, and that is the answer; `retryAfter` in seconds
 *   { status, done: true }        it is carried out, and that is the answer
 *   { ms }                        it is carried out at once, and answered so late; with a status too
 */
export class Faults {
  #next = { place: [], change: [], look: [] };
  #callbacks = { twice: false, late: {} };
  /** What went wrong so far: that a test's faults were met is no matter of luck. */
  met = [];

  /** The next requests of a kind go wrong so, one each. */
  next(kind, ...faults) {
    this.#next[kind].push(...faults.map((fault) => (fault.status && !fault.code ? { ...fault, code: codeOf(fault.status) } : fault)));
  }
  take(kind) {
    const fault = this.#next[kind].shift();
    if (fault) this.met.push(`${kind}: ${fault.done ? "done and " : ""}${fault.status ?? `${fault.ms} ms late`}`);
    return fault ?? {};
  }

  /**
   * From now on every callback comes `twice`, and those that tell of a status come so `late`, in milliseconds, behind others that are told
   * after them: { ringing: 1500 }.
   */
  callbacks({ twice = false, late = {} }) {
    this.#callbacks = { twice, late };
  }
  /** How late a callback comes, each time that it does. */
  times(status) {
    const ms = this.#callbacks.late[status] ?? 0;
    if (ms) this.met.push(`callback: ${status} ${ms} ms late`);
    if (this.#callbacks.twice) this.met.push(`callback: ${status} twice`);
    return this.#callbacks.twice ? [ms, ms] : [ms];
  }
}
