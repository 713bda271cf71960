// How much of a sentence was understood.

const wordsIn = (text) => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];

/** Share of the sentence's words, each as often as it was said, that are in what was heard. */
export function overlap(said, heard) {
  const left = wordsIn(heard);
  const words = wordsIn(said);
  const found = words.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return words.length ? found.length / words.length : 0;
}
