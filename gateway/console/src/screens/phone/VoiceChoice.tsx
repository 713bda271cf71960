import { cx } from "../../ui/classes";
import { Icon, type IconName } from "../../ui/Icon";

export type Voice = "microphone" | "recording";

const CHOICES: { voice: Voice; icon: IconName; title: string; detail: string }[] = [
  { voice: "microphone", icon: "microphone", title: "Microphone", detail: "Speak for yourself" },
  { voice: "recording", icon: "file", title: "Recording", detail: "For machines without a microphone" },
];

/** Who speaks for the caller. */
export function VoiceChoice({ value, onChange }: { value: Voice; onChange: (voice: Voice) => void }) {
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Caller&rsquo;s voice</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {CHOICES.map(({ voice, icon, title, detail }) => (
          <label
            key={voice}
            className={cx(
              "flex items-start gap-3 rounded-lg border p-3 has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
              value === voice ? "border-accent bg-accent-soft" : "border-line-strong/60 hover:border-line-strong",
            )}
          >
            <input type="radio" name="voice" value={voice} className="sr-only" checked={value === voice} onChange={() => onChange(voice)} />
            <Icon name={icon} className={cx("mt-0.5 size-5", value === voice ? "text-accent" : "text-muted")} />
            <span>
              <span className="block text-sm font-semibold">{title}</span>
              <span className="block text-xs text-muted">{detail}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
