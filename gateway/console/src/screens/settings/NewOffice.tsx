import { useState, type FormEvent } from "react";

import { api, explain } from "../../api/client";
import type { TenantRef } from "../../api/types";
import { Button } from "../../ui/Button";
import { INPUT } from "../../ui/classes";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

/** Another office, which knows nothing yet: its file, or its fields, come next. */
export function NewOffice({ onMade }: { onMade: (office: TenantRef) => void }) {
  const [name, setName] = useState("");
  const [slug, setSlug] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      onMade(await api.addTenant({ name: name.trim(), slug: slug.trim() }));
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="mt-5 space-y-4">
      {error !== null && <Note alert>{explain(error)}</Note>}
      <Panel title="New office" level={2}>
        <p className="text-sm text-muted">Its lines, hours and all else come next, from its file or in fields. No call comes to it before it has a line.</p>
        <div className="mt-3 grid gap-3 sm:grid-cols-2">
          <label className="text-sm font-medium">
            Name
            <input required maxLength={200} autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} className={INPUT} />
          </label>
          <label className="text-sm font-medium">
            Short name
            <input required maxLength={63} autoComplete="off" autoCapitalize="none" spellCheck={false} aria-describedby="short-name" value={slug} onChange={(event) => setSlug(event.target.value)} className={INPUT} />
            <span id="short-name" className="mt-1 block text-xs font-normal text-muted">
              The slug of its file: small letters, digits and hyphens.
            </span>
          </label>
        </div>
        <Button type="submit" tone="primary" disabled={busy} className="mt-4">
          Make the office
        </Button>
      </Panel>
    </form>
  );
}
