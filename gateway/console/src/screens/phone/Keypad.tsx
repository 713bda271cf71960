import { phone } from "../../app/phone";
import { Disclosure } from "../../ui/Disclosure";

const ROWS = ["123", "456", "789", "*0#"];
const LETTERS: Record<string, string> = { 2: "ABC", 3: "DEF", 4: "GHI", 5: "JKL", 6: "MNO", 7: "PQRS", 8: "TUV", 9: "WXYZ" };
const SPOKEN: Record<string, string> = { "*": "Star", "#": "Hash" };

/** On a small screen the captions come first; the keys open on demand. */
const roomy = (): boolean => matchMedia("(min-width: 64rem)").matches;

/** Telephone keys. Only the last one is shown: what is keyed in may be a PIN. */
export function Keypad({ disabled, lastKey }: { disabled: boolean; lastKey: string }) {
  return (
    <Disclosure summary="Keypad" open={roomy()}>
      <p role="status" className="mb-2 h-5 text-center text-sm text-muted">
        {lastKey && `Sent: ${SPOKEN[lastKey] ?? lastKey}`}
      </p>
      <div className="mx-auto grid max-w-72 grid-cols-3 gap-2">
        {[...ROWS.join("")].map((key) => (
          <button
            key={key}
            type="button"
            disabled={disabled}
            aria-label={SPOKEN[key]}
            onClick={() => phone.press(key)}
            className="flex min-h-14 flex-col items-center justify-center rounded-xl border border-line bg-panel text-xl leading-6 hover:border-line-strong hover:bg-raised active:bg-accent-soft disabled:opacity-55"
          >
            {key}
            <span aria-hidden="true" className="text-[0.65rem] leading-3 tracking-widest text-muted">
              {LETTERS[key] ?? ""}
            </span>
          </button>
        ))}
      </div>
    </Disclosure>
  );
}
