import { describe, expect, it } from "vitest";

import { Ages, holdBack } from "./listenPlayer";

describe("Ages", () => {
  it("counts from the freshest that ever came", () => {
    const ages = new Ages();
    expect(ages.of(1000, 5200)).toBe(0);
    expect(ages.of(1180, 5200)).toBe(0);
    expect(ages.of(1020, 5200)).toBe(160);
    expect(ages.of(1380, 5430)).toBe(30);
  });
});

describe("holdBack", () => {
  it("plays every frame as late as the latest could be", () => {
    expect(holdBack(0)).toBe(2480);
    expect(holdBack(250)).toBe(480);
    expect(holdBack(400)).toBe(0);
  });
});
