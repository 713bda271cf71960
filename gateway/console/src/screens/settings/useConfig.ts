import { useEffect, useState } from "react";

import { api } from "../../api/client";
import { changed, tidied, type Checked, type Config, type Value } from "../../model/config";

export interface ConfigState {
  /** As it stands in the form. */
  document: Config | null;
  change: (key: string, value: Value) => void;
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

interface Kept {
  document: Config;
  version: string;
}

/** A tenant's document: read, changed in the form, checked by the gateway, applied, and taken back. */
export function useConfig(tenant: string): ConfigState {
  const [kept, setKept] = useState<Kept | null>(null);
  const [before, setBefore] = useState<Config | null>(null);
  const [document, setDocument] = useState<Config | null>(null);
  const [checked, setChecked] = useState<Checked | null>(null);
  const [applied, setApplied] = useState<string[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);

  const show = (found: Kept): void => {
    setKept(found);
    setDocument(found.document);
  };
  useEffect(() => {
    void api.config(tenant).then(show).catch(setError);
  }, [tenant]);

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
  const lay = (next: Config, then: Config | null): Promise<void> =>
    run(async () => {
      if (!kept) return;
      const { changes } = await api.putConfig(tenant, next, kept.version);
      setBefore(then);
      setApplied(changes);
      setChecked(null);
      // As the gateway keeps it: claims are not given out again.
      show(await api.config(tenant));
    });
  return {
    document,
    change: (key, value) => {
      setDocument((old) => (old ? changed(old, key, value) : old));
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
        if (document) setChecked(await api.checkConfig(tenant, tidied(document)));
        setApplied(null);
      }),
    apply: async () => {
      if (document && kept) await lay(tidied(document), kept.document);
    },
    takeBack: async () => {
      if (before) await lay(before, null);
    },
  };
}
