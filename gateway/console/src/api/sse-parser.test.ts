import { describe, expect, it } from "vitest";

import { SseParser } from "./sse-parser";

describe("SseParser", () => {
  it("gives an event once its blank line has come, wherever the chunks are cut", () => {
    const text = "id: 7\r\nevent: call.started\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n";
    for (let cut = 0; cut <= text.length; cut += 1) {
      const parser = new SseParser();
      const events = [...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))];
      expect(events).toEqual([{ id: "7", name: "call.started", data: '{"a":\n1}' }]);
    }
  });

  it("ignores heartbeat comments and events without data", () => {
    const parser = new SseParser();
    expect(parser.push(": beat\n\nevent: x\n\n")).toEqual([]);
  });

  it("keeps the last id for events that carry none, as a browser does", () => {
    const parser = new SseParser();
    expect(parser.push("id: 1\ndata: a\n\ndata: b\n\n").map((e) => e.id)).toEqual(["1", "1"]);
  });
});
