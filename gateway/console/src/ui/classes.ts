/** Joins class names, leaving out what is off. */
export const cx = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(" ");

/** A field on its own line below its label. */
export const INPUT = "mt-1 block min-h-10 w-full rounded-lg border border-line-strong/60 bg-raised px-3 font-normal";
export const TEXTAREA = "mt-1 block w-full rounded-lg border border-line-strong/60 bg-raised p-3 font-normal";
/** The choice of a file, below its label. */
export const FILE = "mt-1 block w-full text-sm font-normal file:mr-3 file:min-h-10 file:rounded-lg file:border-0 file:bg-raised file:px-3.5 file:font-medium file:text-text";
