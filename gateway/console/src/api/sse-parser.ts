// The text/event-stream format, as a pure parser: chunks in, events out.

export interface SseEvent {
  id: string | null;
  name: string;
  data: string;
}

/** Keeps what is unfinished between chunks, so a chunk may end anywhere. */
export class SseParser {
  #rest = "";
  #name = "";
  #data: string[] = [];
  #id: string | null = null;
  #skipLf = false;

  push(chunk: string): SseEvent[] {
    const out: SseEvent[] = [];
    // A line may end with CR, LF or CRLF, and the CRLF may be cut in two by the chunk border.
    let text = chunk;
    if (this.#skipLf && text.startsWith("\n")) text = text.slice(1);
    if (text !== "") this.#skipLf = text.endsWith("\r");
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#line(line, out);
    return out;
  }

  #line(line: string, out: SseEvent[]): void {
    if (line === "") {
      if (this.#data.length > 0) out.push({ id: this.#id, name: this.#name || "message", data: this.#data.join("\n") });
      this.#name = "";
      this.#data = [];
      return;
    }
    if (line.startsWith(":")) return;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "event") this.#name = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.#id = value;
  }
}
