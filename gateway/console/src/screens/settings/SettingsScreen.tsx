import { useState } from "react";

import { explain } from "../../api/client";
import type { Me } from "../../api/types";
import { runsPlatform } from "../../app/permissions";
import { renewSession } from "../../app/session";
import { Chip } from "../../ui/Chip";
import { INPUT } from "../../ui/classes";
import { Note } from "../../ui/Note";
import { FileForm } from "./FileForm";
import { HistoryForm } from "./HistoryForm";
import { NewOffice } from "./NewOffice";
import { Outcome } from "./Outcome";
import { AppointmentsForm, ClaimsForm, HolidaysForm, HoursForm, LinesForm, OfficeForm, SlotsForm, WordsForm } from "./parts";
import { PeopleForm } from "./PeopleForm";
import { TargetsForm } from "./TargetsForm";
import { useConfig } from "./useConfig";

const PARTS = ["Fields", "File", "History", "People", "New office", "Platform"] as const;
/** Of no office: for those who run the platform. */
const OF_PLATFORM: readonly string[] = ["New office", "Platform"];

/** What the line knows of its office: one document, in fields or as a file, held against the gateway before it is applied. */
export function SettingsScreen({ me }: { me: Me }) {
  const [tenant, setTenant] = useState(me.tenant?.id ?? "");
  const [part, setPart] = useState<(typeof PARTS)[number]>("Fields");
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-4xl px-4 py-6 sm:px-6">
        <h1 className="text-2xl font-semibold">Settings</h1>
        <p className="mt-1 text-muted">What the line knows. What is left empty is not known, and the line does not speak of it.</p>
        <div className="mt-4 flex flex-wrap items-end justify-between gap-3">
          <div role="group" aria-label="Part" className="flex flex-wrap gap-2">
            {PARTS.filter((name) => !OF_PLATFORM.includes(name) || runsPlatform(me)).map((name) => (
              <Chip key={name} on={part === name} onClick={() => setPart(name)}>
                {name}
              </Chip>
            ))}
          </div>
          {me.tenants.length > 1 && !OF_PLATFORM.includes(part) && (
            <label className="text-sm font-medium">
              Office
              <select value={tenant} onChange={(event) => setTenant(event.target.value)} className={INPUT}>
                {me.tenants.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )}
        </div>
        {tenant === "" && !OF_PLATFORM.includes(part) && <p className="mt-6 text-muted">There is no office yet.</p>}
        {tenant !== "" && part === "Fields" && <Fields key={tenant} tenant={tenant} />}
        {tenant !== "" && part === "File" && <FileForm key={tenant} tenant={tenant} />}
        {tenant !== "" && part === "History" && <HistoryForm key={tenant} tenant={tenant} />}
        {tenant !== "" && part === "People" && <PeopleForm key={tenant} tenant={tenant} me={me} />}
        {part === "Platform" && <PeopleForm tenant={null} me={me} />}
        {part === "New office" && (
          <NewOffice
            onMade={({ id }) => {
              renewSession();
              setTenant(id);
              setPart("File");
            }}
          />
        )}
      </div>
    </div>
  );
}

function Fields({ tenant }: { tenant: string }) {
  const config = useConfig(tenant);
  const { document, change, checked } = config;
  if (config.error !== null && !document) {
    return (
      <div className="mt-5">
        <Note alert>{explain(config.error)}</Note>
      </div>
    );
  }
  if (!document) return <p className="mt-6 text-muted">Loading…</p>;
  const part = { document, change, faults: checked?.faults ?? [] };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void config.check();
      }}
      className="mt-5 space-y-4"
    >
      <OfficeForm {...part} />
      <HoursForm {...part} />
      <LinesForm {...part} />
      <WordsForm {...part} />
      <TargetsForm {...part} />
      <HolidaysForm {...part} />
      <AppointmentsForm {...part} />
      <SlotsForm {...part} />
      <ClaimsForm {...part} />
      <Outcome config={config} />
    </form>
  );
}
