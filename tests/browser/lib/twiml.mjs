// The carrier's documents, as far as they are read here, and the signature under what it posts.

import { createHmac } from "node:crypto";

const plain = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&apos;", "'").replaceAll("&amp;", "&");

/** Every element of this name in a document: its attributes by name, and the text within. */
export function elements(document, name) {
  return [...document.matchAll(new RegExp(`<${name}((?:\\s[^>]*)?)>([^<]*)`, "g"))].map(([, written, text]) => ({
    attributes: Object.fromEntries([...written.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, plain(value)])),
    text: plain(text),
  }));
}

export const element = (document, name) => elements(document, name)[0] ?? null;

/** All that is within the first element of this name; nothing where there is none. */
export const inside = (document, name) => new RegExp(`<${name}(?:\\s[^>]*)?>(.*?)</${name}>`, "s").exec(document)?.[1] ?? null;

export function signature(token, url, fields = {}) {
  const text = Object.keys(fields).sort().reduce((all, name) => all + name + fields[name], url);
  return createHmac("sha1", token).update(text).digest("base64");
}
