// The office that somebody who sees several works for, in this tab. Everything that is asked of the gateway names it.

const KEY = "quandura.office";

function read(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

let chosen = read();

export const office = (): string | null => chosen;

/** None: the gateway's own choice. */
export function chooseOffice(id: string | null): void {
  chosen = id;
  try {
    if (id === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, id);
  } catch {
    // Kept for this page only.
  }
}

/** An address with the office, for what cannot send headers: sockets, sound. */
export const ofOffice = (path: string): string => (chosen === null ? path : `${path}${path.includes("?") ? "&" : "?"}tenant=${encodeURIComponent(chosen)}`);

/** The header that names it. */
export const officeHeader = (): Record<string, string> => (chosen === null ? {} : { "x-tenant": chosen });
