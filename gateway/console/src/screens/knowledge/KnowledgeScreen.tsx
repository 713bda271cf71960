import { useState, type FormEvent } from "react";

import { api, explain } from "../../api/client";
import type { KnowledgeAnswer, Me, NewDocument } from "../../api/types";
import { useOffers } from "../../app/capabilities";
import { Button } from "../../ui/Button";
import { INPUT } from "../../ui/classes";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";
import { AddDocument } from "./AddDocument";
import { DocumentList } from "./DocumentList";
import { pageFor, takenAlong, withAsked } from "./draft";
import { writesPages } from "./roles";

/** What the line answers from: tried with a question, added to, and, where the gateway lists it, read and deleted. */
export function KnowledgeScreen({ me }: { me: Me }) {
  const offers = useOffers();
  const [revision, setRevision] = useState(0);
  const writes = writesPages(me);
  // A question that the overview showed without a page.
  const [question, setQuestion] = useState(takenAlong);
  const [begun, setBegun] = useState<NewDocument | null>(null);
  const done = (): void => {
    setRevision((n) => n + 1);
    setQuestion(null);
  };
  const addTo = async (id: string): Promise<void> => {
    const { source, title, content, media_type } = await api.document(id);
    setBegun({ source, title, content: withAsked(content, question ?? ""), ...(media_type && { media_type }) });
  };
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-4xl space-y-4 px-4 py-6 sm:px-6">
        <div>
          <h1 className="text-2xl font-semibold">Knowledge</h1>
          <p className="mt-1 text-muted">The documents that the line answers from.</p>
        </div>
        {writes && question !== null && (
          <Panel title="A question without a page" level={2}>
            <p className="break-words">{question}</p>
            <p className="mt-1 text-sm text-muted">Write a page that answers it, or choose a document below whose section does: the question is added to those that it answers.</p>
            <div className="mt-3 flex flex-wrap gap-2">
              <Button tone="primary" onClick={() => setBegun(pageFor(question))}>
                Write a page
              </Button>
              <Button onClick={() => setQuestion(null)}>Leave it</Button>
            </div>
          </Panel>
        )}
        <TryQuestion first={question ?? ""} />
        {writes && <AddDocument key={begun?.content} begun={begun} onKept={done} />}
        {offers.has("/v1/knowledge/documents/{id}") && <DocumentList revision={revision} writes={writes} onChoose={writes && question !== null ? addTo : null} />}
      </div>
    </div>
  );
}

function TryQuestion({ first }: { first: string }) {
  const [question, setQuestion] = useState(first);
  const [answer, setAnswer] = useState<KnowledgeAnswer | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const ask = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      setAnswer(await api.searchKnowledge(question));
      setError(null);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel title="Try a question" level={2}>
      <form onSubmit={(event) => void ask(event)} className="flex flex-wrap items-end gap-2">
        <label className="min-w-0 flex-1 basis-60 text-sm font-medium">
          What a caller might ask
          <input required maxLength={2000} value={question} onChange={(event) => setQuestion(event.target.value)} className={INPUT} />
        </label>
        <Button type="submit" tone="primary" disabled={busy || question.trim() === ""}>
          {busy ? "Looking…" : "Ask"}
        </Button>
      </form>
      {error !== null && (
        <div className="mt-4">
          <Note alert>{explain(error)}</Note>
        </div>
      )}
      <div aria-live="polite">{answer && <Answer answer={answer} />}</div>
    </Panel>
  );
}

function Answer({ answer }: { answer: KnowledgeAnswer }) {
  return (
    <div className="mt-4 space-y-4 text-sm">
      {answer.synthesis ? (
        <p className="rounded-lg bg-accent-soft px-3.5 py-3 text-base">{answer.synthesis}</p>
      ) : (
        <p className="text-muted">Nothing here says enough to answer that.</p>
      )}
      {answer.results.length > 0 && (
        <section aria-label="What was found">
          <h3 className="mb-2 font-semibold">What was found</h3>
          <ol className="space-y-3">
            {answer.results.map((result) => (
              <li key={result.rank} className="grid grid-cols-[1.75rem_minmax(0,1fr)]">
                <span className="figures text-muted">[{result.rank}]</span>
                <div>
                  <p className="flex flex-wrap justify-between gap-x-3">
                    <span className="font-medium break-words">
                      {result.metadata.title || result.source}
                      {result.metadata.heading && <span className="font-normal text-muted"> · {result.metadata.heading}</span>}
                    </span>
                    <span className="figures text-muted">{Math.round(result.relevance_score * 100)}% fit</span>
                  </p>
                  <p className="break-words whitespace-pre-line text-muted">{result.content}</p>
                  <p className="font-mono text-xs break-all text-muted">{result.source}</p>
                </div>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}
