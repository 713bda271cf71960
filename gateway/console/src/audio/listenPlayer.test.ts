import { describe, expect, it } from "vitest";

import { Ages, holdBack, Placing } from "./listenPlayer";

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

describe("Placing", () => {
  /** Where each voice goes, by what it was led to. */
  function graph() {
    const node = (name: string): AudioNode => ({ name }) as unknown as AudioNode;
    const voice = () => {
      const to: unknown[] = [];
      return { to, connect: (next: AudioNode) => to.push((next as unknown as { name: string }).name), disconnect: () => to.splice(0) };
    };
    const [caller, office] = [voice(), voice()];
    const placing = new Placing(node("both ears"), caller, office, (pan) => node(pan < 0 ? "left" : "right"));
    return { placing, caller, office };
  }

  it("leads both voices to both ears, directly", () => {
    const { placing, caller, office } = graph();
    placing.set(false);
    expect([caller.to, office.to]).toEqual([["both ears"], ["both ears"]]);
  });

  it("leads the caller to the left and the agent to the right, and nowhere besides", () => {
    const { placing, caller, office } = graph();
    placing.set(true);
    expect([caller.to, office.to]).toEqual([["left"], ["right"]]);
  });

  it("changes in mid-sound, and is heard once when it is told twice", () => {
    const { placing, caller, office } = graph();
    for (const apart of [false, true, true, false, false]) placing.set(apart);
    expect([caller.to, office.to]).toEqual([["both ears"], ["both ears"]]);
  });
});
