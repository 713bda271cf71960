// Sound files for the caller's side: 16-bit mono WAV.

/** Writes samples in -1..1 as a WAV file. */
export function wav(samples, rate) {
  const data = Buffer.alloc(samples.length * 2);
  samples.forEach((s, i) => data.writeInt16LE(Math.round(Math.max(-1, Math.min(1, s)) * 32_767), i * 2));
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** Reads one channel of a 16-bit PCM WAV file, the first unless another is asked for. */
export function readWav(bytes, channel = 0) {
  if (bytes.toString("latin1", 0, 4) !== "RIFF") throw new Error("not a WAV file");
  let at = 12;
  let format = null;
  while (at + 8 <= bytes.length) {
    const id = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (id === "fmt ") format = { channels: bytes.readUInt16LE(at + 10), rate: bytes.readUInt32LE(at + 12), bits: bytes.readUInt16LE(at + 22) };
    if (id === "data") {
      if (format?.bits !== 16) throw new Error("only 16-bit PCM WAV files can be used here");
      const end = Math.min(bytes.length, at + 8 + size);
      const samples = [];
      for (let i = at + 8 + 2 * channel; i + 1 < end; i += 2 * format.channels) samples.push(bytes.readInt16LE(i) / 32_768);
      return { samples, rate: format.rate };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error("the WAV file has no data");
}

/** Both channels of a stereo WAV file. */
export const channels = (bytes) => [0, 1].map((channel) => Float32Array.from(readWav(bytes, channel).samples));

const silence = (seconds, rate) => new Array(Math.round(seconds * rate)).fill(0);

/** Something with the rhythm of speech; enough for a far end that only tells sound from silence. */
export function babble(seconds, rate = 16_000) {
  return Array.from({ length: Math.round(seconds * rate) }, (_, i) => {
    const t = i / rate;
    const swell = 0.65 + 0.35 * Math.sin(2 * Math.PI * 3.5 * t);
    return 0.3 * swell * (Math.sin(2 * Math.PI * 140 * t) + 0.5 * Math.sin(2 * Math.PI * 620 * t) + 0.2 * Math.sin(2 * Math.PI * 1900 * t));
  });
}

/** A microphone's view of a caller: a pause, the words, and a long pause. The browser repeats the file for ever. */
export function asMicrophone({ samples, rate }, { before = 1.5, after = 6 } = {}) {
  const all = [...silence(before, rate), ...samples, ...silence(after, rate)];
  // The browser's fake microphone wants the rate that it runs at; nearest-sample is good enough for a telephone.
  const want = 48_000;
  const out = Array.from({ length: Math.floor((all.length * want) / rate) }, (_, i) => all[Math.floor((i * rate) / want)]);
  return wav(out, want);
}
