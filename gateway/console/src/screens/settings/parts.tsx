// The parts of the settings' form, one for each thing that a county's people speak of.

import { useState, type ChangeEvent, type ReactNode } from "react";

import { at, claimsOf, list, slotsOf, type Value } from "../../model/config";
import { Button } from "../../ui/Button";
import { FILE } from "../../ui/classes";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";
import { asList, asNumber, asUnlessNo, Field, Grid, Week, type Part } from "./fields";

const KINDS = ["", "county", "city", "town", "village", "township", "borough", "parish", "other"].map((kind) => [kind, kind === "" ? "As its name says" : kind.charAt(0).toUpperCase() + kind.slice(1)] as const);

export function OfficeForm(part: Part) {
  return (
    <Panel title="Office" level={2}>
      <Grid>
        <Field {...part} name="name" label="Name" />
        <Field {...part} name="kind" label="Kind" choices={KINDS} />
        <Field {...part} name="office.address" label="Address" />
        <Field {...part} name="office.phone" label="Telephone of the office" hint="202-555-0170" />
        <Field {...part} name="timezone" label="Time zone" hint="America/Chicago" />
        <Field {...part} name="office.area_code" label="Area code" hint="For callers who leave it out" />
        <Field {...part} name="streets" label="Streets" hint="Names, with commas: they are heard better" as={asList} wide />
        <Field {...part} name="vocabulary" label="Words of the place" hint="Names and words that callers say, with commas" as={asList} wide />
      </Grid>
    </Panel>
  );
}

export function HoursForm(part: Part) {
  return (
    <Panel title="Hours" level={2}>
      <p className="mb-3 text-sm text-muted">As 8:00-17:00. A day of its own wins over Monday to Friday; “closed” closes it.</p>
      <Week {...part} name="hours" />
    </Panel>
  );
}

const CONSENTS = [
  ["off", "Nobody listens, nothing is recorded"],
  ["notice", "The greeting says so"],
  ["ask", "The caller is asked"],
] as const;
const LANGUAGES = [
  ["en", "English"],
  ["en,es", "English, and Spanish by choice"],
  ["es,en", "Spanish, and English by choice"],
  ["es", "Spanish"],
] as const;
const asLanguages = { read: (value: Value): string => (Array.isArray(value) && value.length > 0 ? value.join(",") : "en"), write: (typed: string): Value => typed.split(",") };
const NOTICES = [
  ["yes", "Says what to do in an emergency"],
  ["no", "Does not"],
] as const;
const asConsent = { read: (value: Value): string => (typeof value === "string" ? value : "off"), write: (typed: string): Value => typed };

export function LinesForm(part: Part) {
  return (
    <Several {...part} title="Lines" name="line" one="line">
      {(key) => (
        <Grid>
          <Field {...part} name={`${key}.number`} label="Number" hint="+12025550171" />
          <Field {...part} name={`${key}.name`} label="Name" />
          <Field {...part} name={`${key}.languages`} label="Languages" choices={LANGUAGES} as={asLanguages} />
          <Field {...part} name={`${key}.recording_consent`} label="Listening and recording" choices={CONSENTS} as={asConsent} />
          <Field {...part} name={`${key}.emergency_notice`} label="Its greeting" choices={NOTICES} as={asUnlessNo} />
        </Grid>
      )}
    </Several>
  );
}

/** Lines of the greeting that an office most often says in its own words. Every other one is in the file. */
const SAID = [
  ["greeting", "First words of a call"],
  ["greeting_question", "End of the greeting"],
] as const;
/** One sentence; the file may hold several, said by turns. */
const asSaid = { read: (value: Value): string => (Array.isArray(value) ? value.join(" | ") : ""), write: (typed: string): Value => (typed.trim() === "" ? undefined : typed.split(" | ")) };

export function WordsForm(part: Part) {
  return (
    <Panel title="Greeting" level={2}>
      <p className="mb-3 text-sm text-muted">In the office’s own words. Empty: the words that come with the line. Every word of a sentence passes the rules when it is checked.</p>
      <Grid>
        {SAID.flatMap(([key, when]) =>
          (["en", "es"] as const).map((language) => (
            <Field key={`${key}.${language}`} {...part} name={`wording.${language}.${key}`} label={`${when}, ${language === "en" ? "English" : "Spanish"}`} as={asSaid} />
          )),
        )}
      </Grid>
    </Panel>
  );
}

export function AppointmentsForm(part: Part) {
  return (
    <Several {...part} title="Appointments" name="appointments" one="kind of appointment">
      {(key) => (
        <Grid>
          <Field {...part} name={`${key}.label`} label="What for" />
          <Field {...part} name={`${key}.days`} label="Days" hint="tuesday, thursday" as={asList} />
          <Field {...part} name={`${key}.times`} label="Times" hint="9:00, 10:30" as={asList} />
          <Field {...part} name={`${key}.minutes`} label="Minutes" as={asNumber} />
          <Field {...part} name={`${key}.weeks`} label="Weeks ahead" as={asNumber} />
        </Grid>
      )}
    </Several>
  );
}

export function HolidaysForm(part: Part) {
  return (
    <Several {...part} title="Holidays" name="holiday" one="holiday">
      {(key) => (
        <Grid>
          <Field {...part} name={`${key}.date`} label="Date" hint="2026-12-25" />
          <Field {...part} name={`${key}.name`} label="Name" />
        </Grid>
      )}
    </Several>
  );
}

/** Single times, beside the plans: a table takes the place of all of them. */
export function SlotsForm({ document, change, faults }: Part) {
  const [problem, setProblem] = useState<string | null>(null);
  const items = list(document, "slot");
  const choose = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const file = event.target.files?.[0];
    if (!file) return;
    const read = slotsOf(await file.text());
    setProblem(read.problem);
    if (read.problem === null) change("slot", read.slots);
  };
  return (
    <Panel title="Single times" level={2}>
      <label className="block text-sm font-medium">
        Times from a table (CSV)
        <input type="file" accept=".csv,text/csv" onChange={(event) => void choose(event)} className={FILE} />
      </label>
      <p className="mt-1 text-xs text-muted">Columns: date, time, label, office, minutes, count. The table takes the place of all single times; what is booked stays.</p>
      {problem !== null && (
        <div className="mt-3">
          <Note alert>{problem}</Note>
        </div>
      )}
      <p role="status" className="mt-2 text-sm">
        {items.length === 0 ? "None." : items.length === 1 ? "One time." : `${items.length} times.`}
      </p>
      {faults.some((fault) => fault.key.startsWith("slot")) && <p className="mt-2 text-sm text-danger">Some of them are wrong: see below. The first row of the table is not counted.</p>}
      {items.length > 0 && (
        <div className="mt-2">
          <Button onClick={() => change("slot", undefined)}>Take all single times out</Button>
        </div>
      )}
    </Panel>
  );
}

/** Claims come as a table and are never given out again. */
export function ClaimsForm({ document, change, faults }: Part) {
  const [problem, setProblem] = useState<string | null>(null);
  const many = list(document, "claim").length;
  const choose = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const file = event.target.files?.[0];
    if (!file) return;
    const read = claimsOf(await file.text());
    setProblem(read.problem);
    change("claim", read.problem === null ? read.claims : undefined);
  };
  return (
    <Panel title="Claims" level={2}>
      <label className="block text-sm font-medium">
        From a table (CSV)
        <input type="file" accept=".csv,text/csv" onChange={(event) => void choose(event)} className={FILE} />
      </label>
      <p className="mt-1 text-xs text-muted">Columns: claim_number, status, status_text, name, date_of_birth, phone, pin. Claims are added, or replaced by their number, and never given out again.</p>
      {problem !== null && (
        <div className="mt-3">
          <Note alert>{problem}</Note>
        </div>
      )}
      {many > 0 && (
        <p role="status" className="mt-2 text-sm">
          {many === 1 ? "One claim" : `${many} claims`} to be applied.
        </p>
      )}
      {faults.some((fault) => fault.key.startsWith("claim")) && <p className="mt-2 text-sm text-danger">Some of them are wrong: see below.</p>}
    </Panel>
  );
}

interface SeveralProps extends Part {
  title: string;
  /** Of the list in the document. */
  name: string;
  /** What one of them is called. */
  one: string;
  children: (key: string) => ReactNode;
}

/** A list of things, each with a button that takes it out, and one that adds another. */
function Several({ document, change, title, name, one, children }: SeveralProps) {
  const items = list(document, name);
  return (
    <Panel title={title} level={2}>
      {items.length === 0 && <p className="text-sm text-muted">None.</p>}
      <ul className="space-y-4">
        {items.map((_, n) => {
          const key = `${name}[${n + 1}]`;
          const label = String(at(document, `${key}.name`) ?? at(document, `${key}.label`) ?? at(document, `${key}.number`) ?? n + 1);
          return (
            // Its place is its name in the document.
            <li key={key} className="border-b border-line pb-4 last:border-0 last:pb-0">
              <fieldset>
                <legend className="sr-only">{`${one} ${label}`}</legend>
                {children(key)}
              </fieldset>
              <div className="mt-3">
                <Button onClick={() => change(key, undefined)}>
                  Take out<span className="sr-only"> {label}</span>
                </Button>
              </div>
            </li>
          );
        })}
      </ul>
      <div className="mt-3">
        <Button onClick={() => change(`${name}[${items.length + 1}]`, {})}>Add a {one}</Button>
      </div>
    </Panel>
  );
}
