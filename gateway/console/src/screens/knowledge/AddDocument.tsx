import { useEffect, useRef, useState, type ChangeEvent, type FormEvent } from "react";

import { api, explain } from "../../api/client";
import type { DocumentsKept, NewDocument } from "../../api/types";
import { Button } from "../../ui/Button";
import { INPUT, TEXTAREA } from "../../ui/classes";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";
import { ACCEPTED, documentOf, isPacked } from "./files";

const EMPTY: NewDocument = { source: "", title: "", content: "" };

/** Adds a document, or puts it in place of the one with the same source. `begun`: what it is to begin with. */
export function AddDocument({ begun, onKept }: { begun: NewDocument | null; onKept: () => void }) {
  const [document, setDocument] = useState<NewDocument>(begun ?? EMPTY);
  const [failed, setFailed] = useState<string | null>(null);
  const [kept, setKept] = useState<DocumentsKept | null>(null);
  const [busy, setBusy] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  // Whoever began it elsewhere goes on where the text ends.
  useEffect(() => {
    if (!begun || !text.current) return;
    text.current.focus();
    text.current.setSelectionRange(begun.content.length, begun.content.length);
  }, [begun]);
  const packed = isPacked(document.media_type);
  const change = (part: Partial<NewDocument>): void => setDocument((old) => ({ ...old, ...part }));

  const choose = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const chosen = event.target.files?.[0];
    if (!chosen) return;
    const read = await documentOf(chosen);
    setFailed(read ? null : "Choose a text, Markdown, HTML, CSV, RTF, PDF, Word, Excel or OpenDocument file.");
    if (read) setDocument(read);
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFailed(null);
    try {
      setKept(await api.putDocument(document));
      setDocument(EMPTY);
      if (file.current) file.current.value = "";
      onKept();
    } catch (failure) {
      setKept(null);
      setFailed(explain(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel title="Add or replace a document" level={2}>
      <form onSubmit={(event) => void submit(event)}>
        {/* What is chosen or typed while a document is kept would be emptied with it. */}
        <fieldset disabled={busy} className="min-w-0 space-y-3">
          <label className="block text-sm font-medium">
            From a file
            <input
              ref={file}
              type="file"
              accept={ACCEPTED}
              onChange={(event) => void choose(event)}
              className="mt-1 block w-full text-sm font-normal file:mr-3 file:min-h-10 file:rounded-lg file:border-0 file:bg-raised file:px-3.5 file:font-medium file:text-text"
            />
          </label>
          <div className="grid gap-3 sm:grid-cols-2">
            <label className="text-sm font-medium">
              Title
              <input maxLength={300} value={document.title} onChange={(event) => change({ title: event.target.value })} className={INPUT} />
            </label>
            <label className="text-sm font-medium">
              Source (an address or file name)
              <input required maxLength={500} value={document.source} onChange={(event) => change({ source: event.target.value })} className={INPUT} />
            </label>
          </div>
          {packed ? (
            <p className="text-sm text-muted">The gateway reads the file.</p>
          ) : (
            <label className="block text-sm font-medium">
              Text
              <textarea ref={text} required rows={begun ? 14 : 5} value={document.content} onChange={(event) => change({ content: event.target.value })} className={TEXTAREA} />
            </label>
          )}
          <p className="text-sm text-muted">A document with the same source is replaced.</p>
          <Button type="submit" tone="primary" disabled={document.source.trim() === "" || document.content.trim() === ""}>
            {busy ? "Reading…" : "Keep it"}
          </Button>
        </fieldset>
      </form>
      {failed !== null && (
        <div className="mt-4">
          <Note alert>{failed}</Note>
        </div>
      )}
      <div role="status" className="mt-3 space-y-2 text-sm empty:hidden">
        {kept && <p className="text-good">Kept. The line answers from it from now on.</p>}
        {kept?.notes?.map((note) => (
          <Note key={note.source} tone="warm">
            {note.hidden > 0 && <p>{note.hidden} stretches that no reader would see were left out.</p>}
            {note.threats > 0 && <p>{note.threats} places speak to a language model; they are taken out whenever one reads it.</p>}
          </Note>
        ))}
      </div>
    </Panel>
  );
}
