// Which words of a reply reached the caller.

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");
/** Punctuation and case may differ between the planned text and the ledger's; the word is the same. */
const bare = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}⟨⟩:]/gu, "");

/** How many leading words of `text` are the words of `heard`. */
function heardWords(text: string, heard: string): number {
  const all = words(text);
  const got = words(heard);
  let count = 0;
  while (count < got.length && count < all.length && bare(all[count] ?? "") === bare(got[count] ?? "")) count += 1;
  // The ledger may hold other words than the plan (a sentence replaced by a rule): then trust its length alone.
  return count === got.length ? count : Math.min(got.length, all.length);
}

/** Cuts a reply in two: what was heard, and the rest. */
export function splitHeard(text: string, heard: string): { heard: string; rest: string } {
  const all = words(text);
  const count = heardWords(text, heard);
  return { heard: all.slice(0, count).join(" "), rest: all.slice(count).join(" ") };
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
