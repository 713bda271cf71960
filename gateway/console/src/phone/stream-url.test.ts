import { expect, it } from "vitest";

import { streamUrl } from "./stream-url";

const page = (host: string) => ({ hostname: host.replace(/:\d+$/, ""), host, protocol: "http:" });

it("uses the page's name of this machine", () => {
  expect(streamUrl("ws://127.0.0.1:8080/v1/phone/media", page("localhost:8080"))).toBe("ws://localhost:8080/v1/phone/media");
});

it("leaves a public address alone", () => {
  expect(streamUrl("wss://voice.example.gov/v1/phone/media", page("localhost:8080"))).toBe("wss://voice.example.gov/v1/phone/media");
});
