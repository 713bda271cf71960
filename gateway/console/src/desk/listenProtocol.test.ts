import { describe, expect, it } from "vitest";

import { readSounds } from "./listenProtocol";

function record(kind: number, sound: number, version = 1): number[] {
  return [version, kind, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 3, 13, 64, ...new Array<number>(sound).fill(0x20)];
}
const message = (...records: number[][]): ArrayBuffer => new Uint8Array(records.flat()).buffer;

describe("readSounds", () => {
  it("takes frames apart", () => {
    const [sound] = readSounds(message(record(2, 160)));
    expect(sound).toMatchObject({ kind: "frame", side: "agent", lost: 258, at: 200 });
    expect(sound?.kind === "frame" && sound.payload.length).toBe(160);
    const many = readSounds(message(record(1, 160), record(0, 0), record(3, 160)));
    expect(many.map((one) => (one.kind === "frame" ? one.side : one.kind))).toEqual(["caller", "cleared", "person"]);
  });

  it("knows what was cleared, and passes over what it does not know", () => {
    expect(readSounds(message(record(0, 0)))).toEqual([{ kind: "cleared", lost: 258 }]);
    for (const odd of [record(9, 160), record(1, 10), record(1, 160, 2), [1, 2, 3]]) expect(readSounds(message(odd))).toEqual([]);
    expect(readSounds(message(record(1, 160), record(9, 160)))).toHaveLength(1);
  });
});
