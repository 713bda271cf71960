// A tenant as one document: reading and changing it by the places that the gateway's faults name. Pure.

/** Anything that stands in the document. */
export type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value } | undefined;
export type Config = { readonly [name: string]: Value };

/** What is wrong with a document, and where: `office.phone`, `line[1].number` (the first line). */
export interface Fault {
  key: string;
  line?: number | null;
  message: string;
}
export interface Checked {
  valid: boolean;
  faults: Fault[];
  changes: string[];
}

/** What is wrong at a place, or with an entry of the list there. */
export const faultAt = (faults: readonly Fault[], key: string): Fault | undefined => faults.find((one) => one.key === key) ?? faults.find((one) => one.key.startsWith(`${key}[`));

/** The same as a sentence below its field; of a list in one field it says which entry. */
export function faultText(fault: Fault, key: string): string {
  const entry = /^\[(\d+)\]/.exec(fault.key.slice(key.length))?.[1];
  return `${entry ? `Entry ${entry}` : "This"} ${fault.message}.`;
}

/** "line[1].number" as steps; places in lists count from one. */
const steps = (key: string): (string | number)[] => [...key.matchAll(/[^.[\]]+/g)].map(([step]) => (/^\d+$/.test(step) ? Number(step) - 1 : step));

export function at(config: Value, key: string): Value {
  return steps(key).reduce<Value>((found, step) => (found !== null && typeof found === "object" ? (found as Record<string | number, Value>)[step] : undefined), config);
}

/** A list in it; none where there is none. */
export const list = (config: Value, key: string): readonly Value[] => {
  const found = at(config, key);
  return Array.isArray(found) ? found : [];
};

export const text = (config: Value, key: string): string => {
  const found = at(config, key);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
};

/** The document with one place changed. What is set to nothing goes; what is not known is not said. */
export function changed(config: Config, key: string, value: Value): Config {
  return put(config, steps(key), value) as Config;
}

function put(into: Value, [step, ...rest]: (string | number)[], value: Value): Value {
  if (step === undefined) return value === "" ? undefined : value;
  if (typeof step === "number") {
    const copy = Array.isArray(into) ? [...(into as readonly Value[])] : [];
    const made = put(copy[step], rest, value);
    if (made === undefined && rest.length === 0) copy.splice(step, 1);
    else copy[step] = made ?? {};
    return copy;
  }
  const copy: Record<string, Value> = into !== null && typeof into === "object" && !Array.isArray(into) ? { ...(into as Record<string, Value>) } : {};
  const made = put(copy[step], rest, value);
  if (made === undefined) delete copy[step];
  else copy[step] = made;
  return copy;
}

/** As it is sent: what was begun in a list and left empty is not in it. */
export const tidied = (config: Config): Config => tidy(config) as Config;

function tidy(value: Value): Value {
  if (Array.isArray(value)) {
    return (value as readonly Value[]).map((one) => tidy(typeof one === "string" ? one.trim() : one)).filter((one) => one !== "");
  }
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, tidy(one)]));
}

export const CLAIM_COLUMNS = ["claim_number", "status", "status_text", "name", "date_of_birth", "phone", "pin"] as const;

export const SLOT_COLUMNS = ["date", "time", "label", "office", "minutes", "count"] as const;

type Row = Record<string, string>;

/** Claims of a table, and what is wrong with it. */
export function claimsOf(csv: string): { claims: Row[]; problem: string | null } {
  const { rows, problem } = rowsOf(csv, CLAIM_COLUMNS, ["claim_number"], "claims");
  return { claims: rows, problem };
}

/** Single times of a table, and what is wrong with it. */
export function slotsOf(csv: string): { slots: Value[]; problem: string | null } {
  const { rows, problem } = rowsOf(csv, SLOT_COLUMNS, ["date", "time"], "times");
  // A number that is none goes as it is: the gateway says what is wrong with it, and where.
  const value = (name: string, text: string): Value => ((name === "minutes" || name === "count") && Number.isInteger(Number(text)) ? Number(text) : text);
  return { slots: rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, text]) => [name, value(name, text)]))), problem };
}

/** The first row names the columns; others than these are refused. */
function rowsOf(csv: string, known: readonly string[], needed: readonly string[], what: string): { rows: Row[]; problem: string | null } {
  const [head = [], ...table] = tableOf(csv);
  const columns = head.map((name) => name.trim().toLowerCase().replaceAll(" ", "_"));
  const unknown = columns.find((name) => !known.includes(name));
  if (unknown !== undefined) return { rows: [], problem: `There is no column “${unknown}”: a table of ${what} has ${known.join(", ")}.` };
  const missing = needed.find((name) => !columns.includes(name));
  if (missing !== undefined) return { rows: [], problem: `The first row names the columns, ${missing} among them.` };
  const short = table.findIndex((row) => row.length !== columns.length);
  if (short >= 0) return { rows: [], problem: `Row ${short + 2} has ${table[short]!.length} cells; there are ${columns.length} columns.` };
  const rows = table.map((row) => Object.fromEntries(columns.map((name, n) => [name, row[n]!.trim()] as const).filter(([, value]) => value !== "")));
  return { rows, problem: rows.length === 0 ? `There are no ${what} below the column names.` : null };
}

/** Rows and cells, commas or semicolons between them, quoted or not. */
function tableOf(csv: string): string[][] {
  const plain = csv.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
  const comma = (plain.split("\n", 1)[0] ?? "").includes(";") ? ";" : ",";
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let n = 0; n < plain.length; n += 1) {
    const sign = plain[n]!;
    if (quoted && sign === '"' && plain[n + 1] === '"') {
      cell += sign;
      n += 1;
    } else if (sign === '"') quoted = !quoted;
    else if (!quoted && (sign === comma || sign === "\n")) {
      row.push(cell);
      cell = "";
      if (sign === "\n") {
        rows.push(row);
        row = [];
      }
    } else cell += sign;
  }
  rows.push([...row, cell]);
  return rows.filter((one) => one.some((value) => value.trim() !== ""));
}
