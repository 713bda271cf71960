import { useLevels } from "../../app/phone";

/** Who can be heard right now. */
export function Meters({ muted, recording }: { muted: boolean; recording: boolean }) {
  const levels = useLevels();
  return (
    <div className="space-y-3">
      <Meter label={recording ? "Recording" : "You"} note={muted ? "muted" : ""} value={muted ? 0 : levels.caller} tone="bg-warm" />
      <Meter label="Agent" note="" value={levels.agent} tone="bg-accent" />
    </div>
  );
}

function Meter({ label, note, value, tone }: { label: string; note: string; value: number; tone: string }) {
  const percent = Math.round(value * 100);
  return (
    <div className="flex items-center gap-3">
      <span className="w-20 text-sm text-muted">
        {label}
        {note && <span className="block text-xs text-warm">{note}</span>}
      </span>
      <div
        role="meter"
        aria-label={`Level: ${label}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="h-2.5 flex-1 overflow-hidden rounded-full bg-raised"
      >
        <div className={`h-full origin-left rounded-full ${tone}`} style={{ transform: `scaleX(${value})` }} />
      </div>
    </div>
  );
}
