import { cx } from "./classes";

/** A choice that is on or off. */
export function Chip({ on, onClick, children }: { on: boolean; onClick: () => void; children: string }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onClick}
      className={cx(
        "min-h-9 rounded-full border px-3.5 text-sm font-medium whitespace-nowrap",
        on ? "border-accent bg-accent-soft text-accent" : "border-line-strong/60 text-muted hover:text-text",
      )}
    >
      {children}
    </button>
  );
}
