import { phone } from "../../app/phone";
import type { PhoneState } from "../../phone/phone";
import { Button } from "../../ui/Button";
import { FilePicker } from "./FilePicker";

const SAYS: Record<PhoneState["recordingState"], string> = {
  none: "",
  waiting: "Waits for the greeting to end.",
  speaking: "Speaking now.",
  done: "Spoken. The line stays open.",
};

/** For a caller whose voice is a file: what it is doing, again, or another one. */
export function RecordingControls({ state }: { state: PhoneState }) {
  const talking = state.status === "talking";
  return (
    <section aria-label="Recording" className="space-y-3 rounded-xl border border-line bg-panel p-4" data-recording={state.recordingState}>
      <p className="text-sm">
        <span className="font-medium break-words">{state.recording}</span>
        <span role="status" className="block text-muted">
          {SAYS[state.recordingState]}
        </span>
      </p>
      <div className="grid grid-cols-2 gap-2">
        <Button disabled={!talking} onClick={() => phone.speakRecording()}>
          {state.recordingState === "waiting" ? "Speak now" : "Speak again"}
        </Button>
        <FilePicker label="Another file" className="justify-center" onFile={(file) => void phone.speakFile(file)} />
      </div>
    </section>
  );
}
