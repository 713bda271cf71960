import { useEffect, useState } from "react";

import { api, explain } from "../../api/client";
import type { DocumentHead, KnowledgeDocument } from "../../api/types";
import { useNow } from "../../app/now";
import { when } from "../../model/when";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

interface Props {
  revision: number;
  writes: boolean;
  /** Something is to be added to one of them. */
  onChoose: ((id: string) => Promise<void>) | null;
}

/** Every document; each opens to its text and, for those who may, can be deleted after a question. */
export function DocumentList({ revision, writes, onChoose }: Props) {
  const [attempt, setAttempt] = useState(0);
  const [list, setList] = useState<{ items: DocumentHead[]; cursor: string | null } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [opened, setOpened] = useState<DocumentHead | null>(null);
  const [deleting, setDeleting] = useState<DocumentHead | null>(null);
  const now = useNow();
  useEffect(() => {
    const abort = new AbortController();
    api
      .documents(null, { signal: abort.signal })
      .then((page) => setList({ items: page.items, cursor: page.next_cursor }))
      .catch((failure: unknown) => {
        if (!abort.signal.aborted) setError(failure);
      });
    return () => abort.abort();
  }, [revision, attempt]);
  const loadMore = (): void => {
    if (!list?.cursor) return;
    api
      .documents(list.cursor)
      .then((page) => setList({ items: [...list.items, ...page.items], cursor: page.next_cursor }))
      .catch(setError);
  };
  return (
    <Panel title="Documents" level={2}>
      {error !== null && <Note alert>{explain(error)}</Note>}
      {!list && error === null && <p className="text-sm text-muted">Loading…</p>}
      {list?.items.length === 0 && <p className="text-sm text-muted">None yet.</p>}
      <ul className="divide-y divide-line text-sm">
        {list?.items.map((document) => (
          <li key={document.id} data-document={document.id} className="skip-when-far flex flex-wrap items-center justify-between gap-x-3 gap-y-1 py-2">
            <button type="button" onClick={() => setOpened(document)} className="min-h-10 min-w-0 flex-1 text-left">
              <span className="block font-medium break-words text-accent underline underline-offset-2">{document.title || document.source}</span>
              <span className="block text-xs break-all text-muted">
                {document.source}
                {document.updated_at && ` · ${when(document.updated_at, now)}`}
              </span>
            </button>
            {onChoose && (
              <Button onClick={() => void onChoose(document.id).catch(setError)}>
                Add it here<span className="sr-only"> to {document.title || document.source}</span>
              </Button>
            )}
            {writes && (
              <Button onClick={() => setDeleting(document)}>
                Delete<span className="sr-only"> {document.title || document.source}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {list?.cursor && <Button onClick={loadMore}>Show more</Button>}
      <Dialog open={opened !== null} title={opened?.title || opened?.source || ""} onClose={() => setOpened(null)}>
        {opened && <Opened id={opened.id} />}
      </Dialog>
      <Dialog open={deleting !== null} title="Delete this document?" onClose={() => setDeleting(null)}>
        {deleting && (
          <Deleting
            document={deleting}
            onClose={() => setDeleting(null)}
            onDeleted={() => {
              setDeleting(null);
              setAttempt((n) => n + 1);
            }}
          />
        )}
      </Dialog>
    </Panel>
  );
}

function Opened({ id }: { id: string }) {
  const [document, setDocument] = useState<KnowledgeDocument | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const abort = new AbortController();
    api
      .document(id, { signal: abort.signal })
      .then(setDocument)
      .catch((failure: unknown) => {
        if (!abort.signal.aborted) setError(failure);
      });
    return () => abort.abort();
  }, [id]);
  if (error !== null) return <Note alert>{explain(error)}</Note>;
  if (!document) return <p className="text-sm text-muted">Loading…</p>;
  return (
    <div role="region" aria-label="Text" tabIndex={0} className="max-h-[60dvh] overflow-y-auto text-sm break-words whitespace-pre-wrap">
      {document.content}
    </div>
  );
}

interface DeletingProps {
  document: DocumentHead;
  onClose: () => void;
  onDeleted: () => void;
}

function Deleting({ document, onClose, onDeleted }: DeletingProps) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const remove = (): void => {
    setBusy(true);
    api
      .deleteDocument(document.id)
      .then(onDeleted)
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <>
      <p className="text-sm">
        <span className="font-medium">{document.title || document.source}</span> is not answered from any more, also not in calls that are on the line.
      </p>
      {error !== null && (
        <div className="mt-3">
          <Note alert>{explain(error)}</Note>
        </div>
      )}
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>Keep it</Button>
        <Button tone="danger" disabled={busy} onClick={remove}>
          Delete
        </Button>
      </div>
    </>
  );
}
