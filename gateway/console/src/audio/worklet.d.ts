// The part of the AudioWorklet's global scope that we use; TypeScript's DOM library does not know it.

declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare const sampleRate: number;
