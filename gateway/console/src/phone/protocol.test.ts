import { describe, expect, it } from "vitest";

import { CarrierStream, parseInbound } from "./protocol";

const grant = {
  stream_url: "ws://127.0.0.1:8080/v1/phone/media",
  parameters: { token: "t0" },
  call_id: "id",
  call_sid: "CA1",
  account_sid: "AC1",
  stream_sid: "MZ1",
};

describe("CarrierStream", () => {
  it("opens as a carrier does", () => {
    const stream = new CarrierStream(grant);
    expect(JSON.parse(stream.connected())).toEqual({ event: "connected", protocol: "Call", version: "1.0.0" });
    expect(JSON.parse(stream.start())).toEqual({
      event: "start",
      sequenceNumber: "1",
      streamSid: "MZ1",
      start: {
        accountSid: "AC1",
        streamSid: "MZ1",
        callSid: "CA1",
        tracks: ["inbound"],
        mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 },
        customParameters: { token: "t0" },
      },
    });
  });

  it("numbers messages, chunks and time as decimal strings", () => {
    const stream = new CarrierStream(grant);
    stream.start();
    const frame = new Uint8Array(160).fill(0xff);
    stream.media(frame);
    const second = JSON.parse(stream.media(frame)) as { media: { payload: string } };
    expect(second).toMatchObject({ sequenceNumber: "3", media: { track: "inbound", chunk: "2", timestamp: "20" } });
    expect(second.media.payload).toHaveLength(216);
    expect(JSON.parse(stream.dtmf("5"))).toMatchObject({ sequenceNumber: "4", dtmf: { track: "inbound_track", digit: "5" } });
    expect(JSON.parse(stream.mark("a"))).toMatchObject({ sequenceNumber: "5", mark: { name: "a" } });
    expect(JSON.parse(stream.stop())).toMatchObject({ sequenceNumber: "6", stop: { accountSid: "AC1", callSid: "CA1" } });
  });
});

describe("parseInbound", () => {
  it("reads the three messages that a gateway may send", () => {
    expect(parseInbound('{"event":"media","streamSid":"MZ1","media":{"payload":"/wA="}}')).toEqual({
      kind: "media",
      payload: Uint8Array.of(0xff, 0),
    });
    expect(parseInbound('{"event":"mark","mark":{"name":"t1-0"}}')).toEqual({ kind: "mark", name: "t1-0" });
    expect(parseInbound('{"event":"clear"}')).toEqual({ kind: "clear" });
  });

  it("drops everything else", () => {
    for (const bad of ["", "nonsense", '{"event":"media"}', '{"event":"media","media":{"payload":"*"}}', '{"event":"new"}', "null"]) {
      expect(parseInbound(bad)).toBeNull();
    }
  });
});
