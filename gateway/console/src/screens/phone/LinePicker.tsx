import type { LineRef } from "../../api/types";
import { phoneNumber } from "../../model/format";

const FIELD = "min-h-12 w-full rounded-lg border border-line-strong bg-ground px-3 text-base text-ellipsis lg:text-sm";

/** Which line to call: a choice where lines are known, a number otherwise. */
export function LinePicker({ lines, value, onChange }: { lines: readonly LineRef[]; value: string; onChange: (to: string) => void }) {
  return (
    <label className="block">
      <span className="mb-1.5 block text-sm font-medium">Line to call</span>
      {lines.length > 0 ? (
        <select className={FIELD} value={value} onChange={(event) => onChange(event.target.value)}>
          {lines.map((line) => (
            <option key={line.number} value={line.number}>
              {phoneNumber(line.number)}, {line.name}
            </option>
          ))}
        </select>
      ) : (
        <input
          className={FIELD}
          type="tel"
          required
          placeholder="+12025550100"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </label>
  );
}
