import { expect, it } from "vitest";

import { ACCEPTED, base64, documentOf, isPacked, mediaType } from "./files";

it("knows what it can read by the end of the name", () => {
  expect(mediaType("hours.MD")).toBe("text/markdown");
  expect(mediaType("fees.2026.pdf")).toBe("application/pdf");
  expect(mediaType("photo.jpg")).toBeNull();
  expect(isPacked(mediaType("Fees.DOCX"))).toBe(true);
  expect(isPacked(mediaType("fees.csv"))).toBe(false);
  expect(ACCEPTED.split(",")).toContain(".xlsx");
});

it("sends text as text and a PDF in base64", async () => {
  expect(await documentOf(new File(["Open at nine."], "opening_hours.txt"))).toEqual({ source: "opening_hours.txt", title: "opening hours", content: "Open at nine.", media_type: "text/plain" });
  const bytes = new Uint8Array(70_000).map((_, n) => n % 256);
  const sent = await documentOf(new File([bytes], "a.pdf"));
  expect(Uint8Array.from(atob(sent?.content ?? ""), (c) => c.charCodeAt(0))).toEqual(bytes);
  expect(base64(new Uint8Array())).toBe("");
});
