import { describe, expect, it } from "vitest";

import { readSound } from "./frames";

function message(kind: number, sound: number, version = 1): ArrayBuffer {
  const bytes = new Uint8Array(16 + sound).fill(0x20, 16);
  bytes.set([version, kind, 0, 0, 0, 0, 1, 2]);
  return bytes.buffer;
}

describe("readSound", () => {
  it("takes a frame apart", () => {
    const sound = readSound(message(2, 160));
    expect(sound).toMatchObject({ kind: "frame", side: "agent", lost: 258 });
    expect(sound?.kind === "frame" && sound.payload.length).toBe(160);
    expect(readSound(message(1, 160))).toMatchObject({ side: "caller" });
    expect(readSound(message(3, 160))).toMatchObject({ side: "person" });
  });

  it("knows what was cleared, and passes over what it does not know", () => {
    expect(readSound(message(0, 0))).toEqual({ kind: "cleared", lost: 258 });
    for (const odd of [message(9, 160), message(1, 10), message(1, 160, 2), new ArrayBuffer(3)]) expect(readSound(odd)).toBeNull();
  });
});
