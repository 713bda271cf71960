import { useEffect, useRef, useState } from "react";

import { api, explain } from "../../api/client";
import { Dictation } from "../../desk/dictation";
import { startProblem } from "../../phone/problems";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";

type Doing = "nothing" | "opening" | "hearing" | "reading";

/** Speaks words in place of typing them: they come back as text, to be read before they are sent. */
export function Dictate({ id, onWords }: { id: string; onWords: (text: string) => void }) {
  const [doing, setDoing] = useState<Doing>("nothing");
  const [error, setError] = useState<string | null>(null);
  const dictation = useRef<Dictation | null>(null);
  // A form that closes lets go of the microphone.
  useEffect(
    () => () => {
      dictation.current?.end();
      dictation.current = null;
    },
    [],
  );
  const stop = async (): Promise<void> => {
    const sound = dictation.current?.end();
    dictation.current = null;
    if (!sound) return;
    setDoing("reading");
    try {
      onWords((await api.dictate(id, sound)).text);
    } catch (failure) {
      setError(explain(failure));
    } finally {
      setDoing("nothing");
    }
  };
  const begin = async (): Promise<void> => {
    setError(null);
    setDoing("opening");
    try {
      dictation.current = await Dictation.begin(() => void stop());
      setDoing("hearing");
    } catch (failure) {
      setDoing("nothing");
      const { title, detail } = startProblem(failure);
      setError(`${title} ${detail}`);
    }
  };
  return (
    <div className="space-y-2">
      <Button icon="microphone" aria-pressed={doing === "hearing"} disabled={doing === "opening" || doing === "reading"} onClick={() => void (doing === "hearing" ? stop() : begin())}>
        {{ nothing: "Speak it", opening: "Opening the microphone…", hearing: "Done speaking", reading: "Reading…" }[doing]}
      </Button>
      {error !== null && <Note alert>{error}</Note>}
    </div>
  );
}
