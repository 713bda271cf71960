import { useState, type FormEvent } from "react";

import { api, explain } from "../../api/client";
import type { Me, Whisper } from "../../api/types";
import { desk, setEars, useDesk } from "../../app/desk";
import { useKeys } from "../../app/keys";
import { actsOnCalls, outranks } from "../../app/permissions";
import { usePreferences } from "../../app/preferences";
import { useOffers } from "../../app/capabilities";
import { holderText } from "../../model/control";
import type { Call } from "../../model/state";
import { Button } from "../../ui/Button";
import { TEXTAREA } from "../../ui/classes";
import { Dialog } from "../../ui/Dialog";
import { Note } from "../../ui/Note";
import { AnswerBox } from "./AnswerBox";
import { AskedFor, useHandedOver } from "./AskedFor";
import { Dictate } from "./Dictate";
import { RecordingSwitch } from "./RecordingSwitch";

type Asking = "take" | "give" | "whisper" | null;

/** What a person can do in a live call: listen, tell the agent something, take the call, give it back. */
export function OnTheCall({ call, me }: { call: Call; me: Me }) {
  const offers = useOffers();
  const now = useDesk();
  const { ears } = usePreferences();
  const [asking, setAsking] = useState<Asking>(null);
  const { id, controlled_by } = call.facts;
  const may = actsOnCalls(me) && offers.has("/v1/calls/{id}/takeover");
  const hears = now.hearing === id;
  const speaks = now.speaking === id;
  useHandedOver(call, me.subject);
  // Somebody else has it: they are asked. A higher role takes it all the same.
  const asks = controlled_by != null && controlled_by.by !== me.subject && !outranks(me, controlled_by.role);
  const toggle = (): void => (hears ? desk.stopListening() : void desk.listen(id));
  useKeys((key) => {
    if (!may) return false;
    if (key === "i") toggle();
    else if (key === "u") setAsking(speaks ? "give" : "take");
    else if (key === "s") setAsking("whisper");
    else return false;
    return true;
  });
  if (!may) return null;
  const close = (): void => setAsking(null);
  return (
    <>
    <AnswerBox key={call.question?.id ?? 0} call={call} />
    <section aria-label="On the call" className="border-b border-line px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <p role="status" className="mr-auto text-sm text-muted">
          {holderText(controlled_by, me.subject)}
          {hears && " You are listening."}
          {hears && now.lost > 0 && ` ${now.lost} moments of sound were lost.`}
        </p>
        {hears && (
          <label className="flex min-h-10 items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4.5 accent-accent-solid"
              checked={ears === "apart"}
              onChange={(event) => setEars(event.target.checked ? "apart" : "both")}
            />
            Caller left, agent right
          </label>
        )}
        <Button icon="speaker" aria-pressed={hears} disabled={now.busy} onClick={toggle}>
          {hears ? "Stop listening" : "Listen"}
        </Button>
        <Button icon="words" onClick={() => setAsking("whisper")}>
          Whisper
        </Button>
        {speaks ? (
          <>
            <Button icon={now.muted ? "muted" : "microphone"} aria-pressed={now.muted} onClick={() => desk.setMuted(!now.muted)}>
              {now.muted ? "Unmute" : "Mute"}
            </Button>
            <Button tone="primary" icon="back" onClick={() => setAsking("give")}>
              Give back
            </Button>
          </>
        ) : (
          <Button tone="primary" icon="microphone" disabled={now.busy} onClick={() => setAsking("take")}>
            {asks ? "Ask for it" : "Take over"}
          </Button>
        )}
      </div>
      <RecordingSwitch key={id} call={call} me={me} />
      <AskedFor key={call.askedFor?.until ?? ""} call={call} me={me.subject} />
      {now.problem !== null && (
        <div className="mt-2.5">
          <Note alert>{now.problem}</Note>
        </div>
      )}
      <Dialog open={asking === "take"} title={asks ? `Ask ${controlled_by.by} for the call?` : "Take the call from the agent?"} onClose={close}>
        <p className="text-sm text-muted">
          {asks && `${controlled_by.by} has a minute to hand it over. When they do: `}The browser asks for your microphone. The agent stops at once, the caller is told that a member of staff speaks from now on, and then hears you. Your name goes into the record.
        </p>
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <Button onClick={close}>{asks ? "Leave it to them" : "Leave it to the agent"}</Button>
          <Button
            tone="primary"
            icon="microphone"
            onClick={() => {
              close();
              void (asks ? desk.askFor(id) : desk.takeOver(id));
            }}
          >
            {asks ? "Ask for it" : "Take over"}
          </Button>
        </div>
      </Dialog>
      <Dialog open={asking === "give"} title="Give the call back to the agent" onClose={close}>
        <GiveBack id={id} onClose={close} />
      </Dialog>
      <Dialog open={asking === "whisper"} title="Tell the agent something" onClose={close}>
        <WhisperForm id={id} speaks={speaks} onClose={close} />
      </Dialog>
    </section>
    </>
  );
}

function GiveBack({ id, onClose }: { id: string; onClose: () => void }) {
  const [note, setNote] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onClose();
    void desk.giveBack(id, note.trim());
  };
  return (
    <form onSubmit={submit} className="space-y-3">
      <label className="block text-sm font-medium">
        What the agent should know (may be left out)
        <textarea rows={3} maxLength={1000} value={note} onChange={(event) => setNote(event.target.value)} className={TEXTAREA} />
      </label>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Keep the call</Button>
        <Button type="submit" tone="primary" icon="back">
          Give back
        </Button>
      </div>
    </form>
  );
}

const WAYS = [
  { value: "say", label: "Have it say this, word for word" },
  { value: "next", label: "An instruction for its next reply" },
  { value: "withdrawn", label: "An instruction until I withdraw it" },
] as const;
type Way = (typeof WAYS)[number]["value"];

/** `speaks`: their microphone is on the call, where the caller would hear what they dictate. */
function WhisperForm({ id, speaks, onClose }: { id: string; speaks: boolean; onClose: () => void }) {
  const [text, setText] = useState("");
  const [way, setWay] = useState<Way>("say");
  const mayDictate = useOffers().has("/v1/calls/{id}/dictation") && !speaks;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async (word: Whisper): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await api.whisper(id, word);
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  // What was said of another choice does not hold for this one.
  const choose = (chosen: Way): void => {
    setWay(chosen);
    setError(null);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void send(way === "say" ? { say: text.trim() } : { text: text.trim(), until: way });
  };
  return (
    <form onSubmit={submit} className="space-y-3">
      <label className="block text-sm font-medium">
        Your words
        <textarea required rows={3} maxLength={1000} value={text} onChange={(event) => setText(event.target.value)} className={TEXTAREA} />
      </label>
      {mayDictate && <Dictate id={id} onWords={(words) => setText((old) => (old.trim() === "" ? words : `${old.trim()} ${words}`))} />}
      <fieldset className="space-y-1.5 text-sm">
        <legend className="font-medium">What they are</legend>
        {WAYS.map(({ value, label }) => (
          <label key={value} className="flex min-h-8 items-center gap-2">
            <input type="radio" name="way" value={value} checked={way === value} onChange={() => choose(value)} />
            {label}
          </label>
        ))}
      </fieldset>
      <p className="text-sm text-muted">The caller does not hear that it comes from you. The office&rsquo;s rules hold for it, and it goes into the record with your name.</p>
      {error !== null && <Note alert>{explain(error)}</Note>}
      <div className="flex flex-wrap justify-end gap-2">
        <Button disabled={busy} onClick={() => void send({ withdraw: true })}>
          Withdraw instructions
        </Button>
        <Button type="submit" tone="primary" disabled={busy}>
          Send
        </Button>
      </div>
    </form>
  );
}
