// Messages of the listening socket: records of a header of 16 bytes, and for sound one frame of mu-law.

export type Side = "caller" | "agent" | "person";

/** `at`: milliseconds since the call's stream was accepted. */
export type Sound = { kind: "frame"; side: Side; lost: number; at: number; payload: Uint8Array } | { kind: "cleared"; lost: number };

const HEADER = 16;
const FRAME = 160;
const SIDES: readonly (Side | null)[] = [null, "caller", "agent", "person"];

/** What a message holds: one record behind the other. It ends at the first that is not understood. */
export function readSounds(message: ArrayBuffer): Sound[] {
  const view = new DataView(message);
  const sounds: Sound[] = [];
  for (let from = 0; from + HEADER <= view.byteLength; ) {
    if (view.getUint8(from) !== 1) break;
    const kind = view.getUint8(from + 1);
    const lost = view.getUint32(from + 4);
    if (kind === 0) {
      sounds.push({ kind: "cleared", lost });
      from += HEADER;
      continue;
    }
    const side = SIDES[kind];
    const end = from + HEADER + FRAME;
    if (!side || end > view.byteLength) break;
    const at = Number(view.getBigUint64(from + 8)) / 1000;
    sounds.push({ kind: "frame", side, lost, at, payload: new Uint8Array(message, from + HEADER, FRAME) });
    from = end;
  }
  return sounds;
}
