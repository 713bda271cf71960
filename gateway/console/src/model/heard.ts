// Which words of a reply reached the caller.

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");
/** Punctuation and case may differ between the planned text and the ledger's; the word is the same. */
const bare = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}⟨⟩:]/gu, "");

/** Words of a reply that were heard, or were not. */
export interface Part {
  text: string;
  heard: boolean;
}

/** So many words in a row tell where the voice went on after a cut. */
const SURE = 3;

/** Where `all` goes on with the next words of `got`, from a word on; -1: nowhere. */
function goesOn(all: readonly string[], from: number, got: readonly string[]): number {
  const next = got.slice(0, SURE);
  return all.findIndex((_, at) => at >= from && next.every((word, i) => all[at + i] === word));
}

/**
 * Cuts a reply into what was heard and what was not. After a sentence that was cut the same turn may go on with another, which was
 * heard: a person took the call.
 */
export function heardParts(text: string, heard: string): Part[] {
  const all = words(text);
  const [plan, got] = [all.map(bare), words(heard).map(bare)];
  const was = new Array<boolean>(all.length).fill(false);
  let at = 0;
  for (let n = 0; n < got.length; n += 1, at += 1) {
    if (plan[at] !== got[n]) at = goesOn(plan, at, got.slice(n));
    // The ledger may hold other words than the plan (a sentence replaced by a rule): then trust its length alone.
    if (at < 0) return parts(all, all.map((_, i) => i < got.length));
    was[at] = true;
  }
  return parts(all, was);
}

function parts(all: readonly string[], was: readonly boolean[]): Part[] {
  const made: Part[] = [];
  all.forEach((word, i) => {
    const last = made.at(-1);
    if (last && last.heard === was[i]) last.text += ` ${word}`;
    else made.push({ text: word, heard: was[i] ?? false });
  });
  return made;
}

/** Whether a report is about that sentence: it begins like it. */
export function isOf(report: string, sentence: string): boolean {
  const [told, plan] = [words(report).map(bare), words(sentence).map(bare)];
  return told.length > 0 && told.every((word, i) => word === plan[i]);
}

/**
 * Adds a report to what is known. Reports come by the segment or for the whole turn so far; a report that begins with
 * everything known so far is of the second kind.
 */
export function joinHeard(known: string, report: string): string {
  if (known === "" || report === "") return known || report;
  const before = words(known).map(bare);
  const now = words(report).map(bare);
  const covers = now.length >= before.length && before.every((word, i) => word === now[i]);
  return covers ? report : `${known} ${report}`;
}
