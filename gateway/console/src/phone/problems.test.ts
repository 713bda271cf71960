import { expect, it } from "vitest";

import { ApiError } from "../api/client";
import { closeProblem, startProblem } from "./problems";

it("tells a blocked microphone from a missing one, and names the way out", () => {
  expect(startProblem(new DOMException("", "NotAllowedError")).title).toContain("blocked");
  expect(startProblem(new DOMException("", "NotFoundError")).detail).toContain("recording");
});

it("says busy when the gateway is full, by HTTP or by socket", () => {
  expect(startProblem(new ApiError(503, "BUSY", "full")).title).toBe("All lines are busy.");
  expect(closeProblem(1013, "", true)?.title).toBe("All lines are busy.");
});

it("passes on what the gateway advises", () => {
  expect(startProblem(new ApiError(404, "NOT_FOUND", "No such line.", "Dial the demo line.")).detail).toBe("No such line. Dial the demo line.");
});

it("treats a normal close as no problem, and tells refused from lost", () => {
  expect(closeProblem(1000, "", true)).toBeNull();
  expect(closeProblem(1006, "", false)?.title).toContain("refused");
  expect(closeProblem(1006, "", true)?.title).toContain("lost");
  expect(closeProblem(1008, "token used", false)?.detail).toContain("token used");
});
