// Messages of the listening socket: a header of 16 bytes, and for sound one frame of mu-law.

export type Side = "caller" | "agent" | "person";

export type Sound = { kind: "frame"; side: Side; lost: number; payload: Uint8Array } | { kind: "cleared"; lost: number };

const HEADER = 16;
const FRAME = 160;
const SIDES: readonly (Side | null)[] = [null, "caller", "agent", "person"];

/** What a message holds; null for one that is not understood. */
export function readSound(message: ArrayBuffer): Sound | null {
  if (message.byteLength < HEADER) return null;
  const view = new DataView(message);
  if (view.getUint8(0) !== 1) return null;
  const lost = view.getUint32(4);
  const kind = view.getUint8(1);
  if (kind === 0) return { kind: "cleared", lost };
  const side = SIDES[kind];
  if (!side || message.byteLength !== HEADER + FRAME) return null;
  return { kind: "frame", side, lost, payload: new Uint8Array(message, HEADER) };
}
