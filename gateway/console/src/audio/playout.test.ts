import { describe, expect, it } from "vitest";

import { Playout } from "./playout";

const audio = (length: number, value = 0.5): Float32Array => new Float32Array(length).fill(value);

/** Pulls in 20 ms steps until nothing is left. */
function drain(playout: Playout, steps = 200): { heard: number; marks: string[] } {
  let heard = 0;
  const marks: string[] = [];
  for (let i = 0; i < steps; i += 1) {
    const pulled = playout.pull(160);
    heard += pulled.samples.filter((s) => s !== 0).length;
    marks.push(...pulled.marks);
  }
  return { heard, marks };
}

describe("Playout", () => {
  it("plays every sample once and in order", () => {
    const playout = new Playout();
    playout.push(Float32Array.from({ length: 1000 }, (_, i) => i + 1));
    const got: number[] = [];
    for (let i = 0; i < 20; i += 1) got.push(...playout.pull(77).samples);
    expect(got.filter((s) => s !== 0)).toEqual(Array.from({ length: 1000 }, (_, i) => i + 1));
  });

  it("gathers a little before it begins, but never holds a short word back for long", () => {
    const playout = new Playout();
    playout.push(audio(160));
    expect(playout.pull(160).samples[0]).toBe(0);
    expect(drain(playout).heard).toBe(160);
  });

  it("echoes a mark only when the audio before it was played", () => {
    const playout = new Playout();
    playout.push(audio(800));
    expect(playout.mark("a")).toEqual([]);
    playout.push(audio(800));
    expect(playout.mark("b")).toEqual([]);
    expect(playout.pull(799).marks).toEqual([]);
    expect(playout.pull(1).marks).toEqual(["a"]);
    expect(playout.pull(800).marks).toEqual(["b"]);
  });

  it("echoes a mark at once when nothing is queued", () => {
    expect(new Playout().mark("now")).toEqual(["now"]);
  });

  it("clears audio and gives outstanding marks in order, then starts afresh", () => {
    const playout = new Playout();
    playout.push(audio(1600));
    playout.mark("a");
    playout.push(audio(160));
    playout.mark("b");
    playout.pull(320);
    expect(playout.clear()).toEqual(["a", "b"]);
    expect(playout.queued).toBe(0);
    expect(drain(playout)).toEqual({ heard: 0, marks: [] });
    playout.push(audio(640));
    playout.mark("c");
    expect(drain(playout)).toEqual({ heard: 640, marks: ["c"] });
  });

  it("counts a gap in speech, but not the end of a reply", () => {
    const playout = new Playout();
    playout.push(audio(500));
    playout.mark("end");
    drain(playout);
    expect(playout.underruns).toBe(0);
    playout.push(audio(500));
    drain(playout);
    expect(playout.underruns).toBe(1);
  });

  it("holds back what begins, however much there is, and what follows comes without a gap", () => {
    const playout = new Playout();
    playout.push(audio(1600), 480);
    expect(playout.pull(320).samples[0]).toBe(0);
    expect(playout.pull(160).samples[0]).toBe(0.5);
    // Playing: what comes now waits for nothing.
    playout.push(audio(160), 4800);
    expect(drain(playout, 20).heard).toBe(1600);
  });

  it("begins sooner where the last of what came at once shows that the first is old", () => {
    const playout = new Playout();
    playout.push(audio(160), 2080);
    playout.push(audio(1440), 2080);
    playout.push(audio(160), 2080);
    expect(playout.pull(320).samples[0]).toBe(0);
    expect(playout.pull(160).samples[0]).toBe(0.5);
  });
});
