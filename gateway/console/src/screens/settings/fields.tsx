import { useId, type ReactNode } from "react";

import { at, faultAt, faultText, text, type Config, type Fault, type Value } from "../../model/config";
import { cx, INPUT } from "../../ui/classes";

/** What every part of the form is given. */
export interface Part {
  document: Config;
  change: (key: string, value: Value) => void;
  faults: readonly Fault[];
}

interface FieldProps extends Part {
  /** The place in the document, as faults name it. */
  name: string;
  label: string;
  /** What it may look like. */
  hint?: string;
  /** Choices, with their names; the first one is what holds where nothing is said. */
  choices?: readonly (readonly [string, string])[];
  /** How what was typed stands in the document, and back, where it is no plain text. */
  as?: { read: (value: Value) => string; write: (typed: string) => Value };
  wide?: boolean;
}

/** One place in the document, with what the gateway says is wrong there. */
export function Field({ document, change, faults, name, label, hint, choices, as, wide = false }: FieldProps) {
  const id = useId();
  const fault = faultAt(faults, name);
  const value = as ? as.read(at(document, name)) : text(document, name);
  const write = (typed: string): void => change(name, as ? as.write(typed) : typed);
  const told = { "aria-invalid": fault !== undefined, "aria-describedby": fault || hint ? id : undefined, className: cx(INPUT, fault && "border-danger") };
  return (
    <div className={cx(wide && "sm:col-span-2")}>
      <label className="block text-sm font-medium">
        {label}
        {choices ? (
          <select value={value} onChange={(event) => write(event.target.value)} {...told}>
            {choices.map(([code, word]) => (
              <option key={code} value={code}>
                {word}
              </option>
            ))}
          </select>
        ) : (
          <input value={value} onChange={(event) => write(event.target.value)} autoComplete="off" {...told} />
        )}
      </label>
      {(fault || hint) && (
        <p id={id} className={cx("mt-1 text-xs", fault ? "text-danger" : "text-muted")}>
          {fault ? faultText(fault, name) : hint}
        </p>
      )}
    </div>
  );
}

export const Grid = ({ children }: { children: ReactNode }) => <div className="grid gap-3 sm:grid-cols-2">{children}</div>;

const DAYS = ["weekdays", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
const dayName = (day: string): string => (day === "weekdays" ? "Monday to Friday" : day.charAt(0).toUpperCase() + day.slice(1));

/** Hours of a week, of the office or of somebody there. */
export const Week = ({ name, ...part }: Part & { name: string }) => (
  <Grid>
    {DAYS.map((day) => (
      <Field key={day} {...part} name={`${name}.${day}`} label={dayName(day)} />
    ))}
  </Grid>
);

/** A list in one field, with commas. Typed text is kept as it is typed until it stands in the document. */
export const asList = {
  read: (value: Value): string => (Array.isArray(value) ? value.join(", ") : ""),
  // The last comma stays while somebody types on.
  write: (typed: string): Value => {
    const items = typed.split(",").map((one, n, all) => (n < all.length - 1 ? one.trim() : one.replace(/^\s+/, "")));
    return items.every((one) => one === "") ? undefined : items;
  },
};

/** Of two choices: what holds unless the document says no, and what only holds where it says yes. */
export const asUnlessNo = { read: (value: Value): string => (value === false ? "no" : "yes"), write: (typed: string): Value => (typed === "no" ? false : undefined) };
export const asIfYes = { read: (value: Value): string => (value === true ? "yes" : "no"), write: (typed: string): Value => (typed === "yes" ? true : undefined) };

export const asNumber = {
  read: (value: Value): string => (typeof value === "number" || typeof value === "string" ? String(value) : ""),
  write: (typed: string): Value => (typed.trim() === "" ? undefined : Number.isFinite(Number(typed)) ? Number(typed) : typed),
};
