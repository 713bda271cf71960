import { expect, it } from "vitest";

import { RecordingCue } from "./recording";

it("waits for the greeting to end and a pause after it", () => {
  const cue = new RecordingCue(0);
  expect(cue.update(0, 0, 1000)).toBe(false);
  expect(cue.update(0.5, 800, 2000)).toBe(false);
  expect(cue.update(0, 0, 3000)).toBe(false);
  expect(cue.update(0.5, 0, 3500)).toBe(false);
  expect(cue.update(0, 0, 4000)).toBe(false);
  expect(cue.update(0, 0, 4699)).toBe(false);
  expect(cue.update(0, 0, 4700)).toBe(true);
});

it("speaks in the end to a line that never greets", () => {
  const cue = new RecordingCue(0);
  expect(cue.update(0, 0, 7999)).toBe(false);
  expect(cue.update(0, 0, 8000)).toBe(true);
});
