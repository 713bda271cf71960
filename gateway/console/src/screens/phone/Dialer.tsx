import { useState, type FormEvent, type RefObject } from "react";

import type { Me } from "../../api/types";
import { phone } from "../../app/phone";
import { hrefs } from "../../app/route";
import { duration } from "../../model/format";
import type { PhoneState } from "../../phone/phone";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { FilePicker } from "./FilePicker";
import { LinePicker } from "./LinePicker";
import { VoiceChoice, type Voice } from "./VoiceChoice";

interface Props {
  me: Me;
  state: PhoneState;
  heading: RefObject<HTMLHeadingElement | null>;
}

/** Before a call: which line, whose voice, and go. After one: how it went. */
export function Dialer({ me, state, heading }: Props) {
  const [to, setTo] = useState(state.to || (me.lines[0]?.number ?? ""));
  const [voice, setVoice] = useState<Voice>(state.recording ? "recording" : "microphone");
  const [file, setFile] = useState<File | null>(null);
  const [missing, setMissing] = useState(false);

  const dial = (event: FormEvent): void => {
    event.preventDefault();
    const recording = voice === "recording";
    setMissing(recording && !file);
    if (recording && !file) return;
    void phone.call(to.trim(), recording ? file : null);
  };

  return (
    <form onSubmit={dial} className="mx-auto max-w-md space-y-6">
      <Heading state={state} heading={heading} />
      {state.problem && (
        <Note alert>
          <p className="font-semibold">{state.problem.title}</p>
          <p>{state.problem.detail}</p>
        </Note>
      )}
      <LinePicker lines={me.lines} value={to} onChange={setTo} />
      <VoiceChoice value={voice} onChange={setVoice} />
      {voice === "recording" && (
        <div className="space-y-2">
          <FilePicker label={file ? file.name : "Choose a WAV file"} onFile={setFile} />
          {missing && !file && (
            <p role="alert" className="text-sm text-danger">
              Choose the recording first.
            </p>
          )}
          <p className="text-sm text-muted">It is spoken as the caller once the greeting has ended.</p>
        </div>
      )}
      <Button tone="primary" type="submit" icon="phone" large className="w-full">
        {state.status === "ended" ? "Call again" : "Call"}
      </Button>
    </form>
  );
}

function Heading({ state, heading }: Omit<Props, "me">) {
  const ended = state.status === "ended" && state.startedAt > 0;
  return (
    <div>
      <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold outline-none">
        {ended ? "Call ended" : "Phone"}
      </h1>
      <p className="mt-1 text-muted">
        {ended ? (
          <>
            It lasted <span className="figures">{duration(state.endedAt - state.startedAt)}</span>.{" "}
            {state.callId && (
              <a href={hrefs.call(state.callId)} className="text-accent underline underline-offset-2">
                See the whole call
              </a>
            )}
          </>
        ) : (
          "Call a line of yours from this browser, just as a caller would."
        )}
      </p>
    </div>
  );
}
