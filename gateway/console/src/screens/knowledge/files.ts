// A chosen file as a document to be posted.

import type { NewDocument } from "../../api/types";

const TEXTS: Record<string, string> = { md: "text/markdown", markdown: "text/markdown", txt: "text/plain", html: "text/html", htm: "text/html", csv: "text/csv" };
/** Files whose bytes go to the gateway as they are. */
const PACKED: Record<string, string> = {
  pdf: "application/pdf",
  rtf: "application/rtf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
};
const TYPES: Record<string, string> = { ...TEXTS, ...PACKED };

/** What the file picker offers. */
export const ACCEPTED = Object.keys(TYPES)
  .map((extension) => `.${extension}`)
  .join(",");

/** Whether a document's content is a file's bytes, which nobody edits. */
export const isPacked = (mediaType: string | null | undefined): boolean => Object.values(PACKED).includes(mediaType ?? "");

/** What a file holds, by the end of its name; nothing for what the gateway cannot read. */
export const mediaType = (name: string): string | null => TYPES[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? null;

/** Bytes as base64, in parts that no argument list is too short for. */
export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += 0x8000) text += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
  return btoa(text);
}

export async function documentOf(file: File): Promise<NewDocument | null> {
  const media_type = mediaType(file.name);
  if (!media_type) return null;
  const content = isPacked(media_type) ? base64(new Uint8Array(await file.arrayBuffer())) : await file.text();
  return { source: file.name, title: file.name.replace(/\.\w+$/, "").replaceAll(/[_-]+/g, " "), content, media_type };
}
