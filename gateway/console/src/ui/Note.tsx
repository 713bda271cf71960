import type { ReactNode } from "react";

import { cx } from "./classes";
import { Icon } from "./Icon";

/** Something went wrong, or may soon. `alert` speaks up at once; use it for what the person just did. */
export function Note({ tone = "danger", alert = false, children }: { tone?: "danger" | "warm"; alert?: boolean; children: ReactNode }) {
  return (
    <div
      role={alert ? "alert" : undefined}
      className={cx(
        "flex gap-2.5 rounded-lg border px-3.5 py-3 text-sm text-text",
        tone === "danger" ? "border-danger/40 bg-danger-soft" : "border-warm/40 bg-warm-soft",
      )}
    >
      <Icon name="alert" className={cx("mt-0.5 size-4.5", tone === "danger" ? "text-danger" : "text-warm")} />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
