// What the line answers from: kept by source, searched by words.

import { bodyOf, json, refuse } from "./http.mjs";

export async function knowledge(mock, request, response, url) {
  const [, , , what, id] = url.pathname.split("/").map(decodeURIComponent);
  const asked = request.method === "POST" ? JSON.parse((await bodyOf(request)) || "{}") : {};
  if (what === "search") return json(response, answer(mock, asked.query));
  if (request.method === "POST") {
    const known = mock.documents.find((document) => document.source === asked.source);
    const kept = { id: known?.id ?? `doc-${mock.documents.length + 1}`, media_type: "text/plain", ...asked, title: asked.title || asked.source, updated_at: new Date().toISOString(), passages: 1 };
    mock.documents = [kept, ...mock.documents.filter((document) => document !== known)];
    const threats = asked.content.includes("Ignore all") ? 1 : 0;
    return json(response, { ids: [kept.id], ...(threats && { notes: [{ source: asked.source, hidden: 0, threats }] }) });
  }
  if (id === undefined) return json(response, { items: mock.documents.map(({ content: _, ...head }) => head), next_cursor: null });
  const document = mock.documents.find((known) => known.id === id);
  if (!document) return refuse(response, 404, "NOT_FOUND", "There is no such document.");
  if (request.method === "GET") return json(response, document);
  mock.documents = mock.documents.filter((known) => known !== document);
  response.writeHead(204).end();
}

function answer(mock, query) {
  const words = query.toLowerCase().match(/\w{4,}/g) ?? [];
  const found = mock.documents.filter((document) => words.some((word) => document.content.toLowerCase().includes(word)));
  return {
    results: found.map((document, n) => ({
      content: document.content,
      source: document.source,
      relevance_score: 0.8,
      rank: n + 1,
      metadata: { document_id: document.id, title: document.title, heading: null },
    })),
    query,
    method_used: "hybrid",
    total_results: found.length,
    synthesis: found.length > 0 ? `${found[0].content} [1]` : null,
    citations: found.map((document) => document.source),
  };
}
