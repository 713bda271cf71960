import { expect, it } from "vitest";

import { decoded, encoded } from "./passkeys";

it("writes bytes as the gateway reads them, and back", () => {
  for (const bytes of [[], [255], [251, 255], [0, 1, 2, 253, 254, 255]]) {
    const text = encoded(new Uint8Array(bytes).buffer);
    expect(text).toMatch(/^[\w-]*$/);
    expect([...decoded(text)]).toEqual(bytes);
  }
});
