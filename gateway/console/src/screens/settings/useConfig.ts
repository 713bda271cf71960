import { useEffect, useState } from "react";

import { api } from "../../api/client";
import { renewSession } from "../../app/session";
import { changed, tidied, type Checked, type Config, type Value } from "../../model/config";

/** What can be done with a tenant's document, whatever form it is shown in. */
export interface Laying {
  /** What the gateway says of it; nothing since the last change. */
  checked: Checked | null;
  error: unknown;
  busy: boolean;
  /** What was changed when it was applied last. */
  applied: string[] | null;
  canTakeBack: boolean;
  check: () => Promise<void>;
  apply: () => Promise<void>;
  /** Lays down what held before it was applied. */
  takeBack: () => Promise<void>;
}

export interface DocumentState<Document> extends Laying {
  /** As it stands in the form. */
  document: Document | null;
  change: (next: (old: Document) => Document) => void;
}

export interface ConfigState extends Laying {
  document: Config | null;
  change: (key: string, value: Value) => void;
}

interface Kept<Document> {
  document: Document;
  version: string;
}

/** A tenant's document: read, changed in the form, checked by the gateway, applied, and taken back. */
function useDocument<Document extends string | Config>(tenant: string, read: (tenant: string) => Promise<Kept<Document>>, sent: (document: Document) => Document): DocumentState<Document> {
  const [kept, setKept] = useState<Kept<Document> | null>(null);
  const [before, setBefore] = useState<Document | null>(null);
  const [document, setDocument] = useState<Document | null>(null);
  const [checked, setChecked] = useState<Checked | null>(null);
  const [applied, setApplied] = useState<string[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);

  const show = (found: Kept<Document>): void => {
    setKept(found);
    setDocument(() => found.document);
  };
  useEffect(() => {
    void read(tenant).then(show).catch(setError);
  }, [tenant, read]);

  const run = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await act();
      setError(null);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const lay = (next: Document, then: Document | null): Promise<void> =>
    run(async () => {
      if (!kept) return;
      const { changes } = await api.putConfig(tenant, next, kept.version);
      setBefore(() => then);
      setApplied(changes);
      setChecked(null);
      // As the gateway keeps it: claims are not given out again.
      show(await read(tenant));
      // The office may have another name, and other lines to choose from.
      renewSession();
    });
  return {
    document,
    change: (next) => {
      setDocument((old) => (old === null ? old : next(old)));
      setChecked(null);
      setApplied(null);
    },
    checked,
    error,
    busy,
    applied,
    canTakeBack: before !== null,
    check: () =>
      run(async () => {
        if (document !== null) setChecked(await api.checkConfig(tenant, sent(document)));
        setApplied(null);
      }),
    apply: async () => {
      if (document !== null && kept) await lay(sent(document), kept.document);
    },
    takeBack: async () => {
      if (before !== null) await lay(before, null);
    },
  };
}

const readFields = (tenant: string): Promise<Kept<Config>> => api.config(tenant);
const readFile = (tenant: string): Promise<Kept<string>> => api.configFile(tenant);
const asItIs = (text: string): string => text;

/** The document by its fields. */
export function useConfig(tenant: string): ConfigState {
  const state = useDocument(tenant, readFields, tidied);
  return {
    ...state,
    change: (key, value) => {
      state.change((old) => changed(old, key, value));
    },
  };
}

/** The document as the text of its file. */
export const useConfigFile = (tenant: string): DocumentState<string> => useDocument(tenant, readFile, asItIs);
