// A question that no page answers, on its way from where it was read to where a page is written. Not in the address: it is a
// caller's.

import { veiled } from "../requests/labels";

let waiting: string | null = null;

/** Takes a question along to the next screen. */
export function takeAlong(question: string): void {
  waiting = question;
}

/** The question that was taken along, once. */
export function takenAlong(): string | null {
  const question = waiting;
  waiting = null;
  return question;
}

/** A question as a page may hold it: in one line, without tokens. */
export const asWritten = (question: string): string => veiled(question).replaceAll(/\s+/g, " ").trim();

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 60) || "question";

/** A page that begins with the question that it is to answer. */
export function pageFor(question: string): { source: string; title: string; content: string; media_type: string } {
  const asked = asWritten(question);
  const title = asked.replace(/[?.!]+$/, "");
  const content = `+++\n[asked]\n${JSON.stringify(title)} = [${JSON.stringify(asked)}]\n+++\n\n## ${title}\n\n`;
  return { source: `${slug(title)}.md`, title, content, media_type: "text/markdown" };
}

/** A page's text with the question among those that its first section answers. */
export function withAsked(content: string, question: string): string {
  const asked = JSON.stringify(asWritten(question));
  const [, matter = "", body = content] = /^\s*\+\+\+\n([\s\S]*?)\n\+\+\+\n?([\s\S]*)$/.exec(content) ?? [];
  const heading = JSON.stringify((/^#{1,6}\s+(.+)$/m.exec(body.replace(/^#\s.*$/m, "")) ?? /^#\s+(.+)$/m.exec(body))?.[1]?.trim() ?? "Page");
  const lines = matter === "" ? [] : matter.split("\n");
  let table = lines.findIndex((line) => line.trim() === "[asked]");
  if (table < 0) table = lines.push("[asked]") - 1;
  const known = lines.findIndex((line, n) => n > table && line.startsWith(`${heading} = [`) && line.trimEnd().endsWith("]"));
  if (known < 0) lines.splice(table + 1, 0, `${heading} = [${asked}]`);
  else lines[known] = lines[known]!.trimEnd().replace(/,?\s*\]$/, `, ${asked}]`).replace("[, ", "[");
  return `+++\n${lines.join("\n")}\n+++\n${body.startsWith("\n") ? "" : "\n"}${body}`;
}
