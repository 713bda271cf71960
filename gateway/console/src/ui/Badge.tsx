import type { ReactNode } from "react";

import { cx } from "./classes";

const TONES = {
  plain: "bg-raised text-muted",
  accent: "bg-accent-soft text-accent",
  good: "bg-good-soft text-good",
  warm: "bg-warm-soft text-warm",
  danger: "bg-danger-soft text-danger",
} as const;
export type Tone = keyof typeof TONES;

export function Badge({ tone = "plain", title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span
      title={title}
      className={cx(
        "inline-flex items-center gap-1 rounded-md px-2 py-0.5 text-xs font-semibold whitespace-nowrap",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
