import type { ReactNode } from "react";

import { Icon } from "./Icon";

/** A part that opens on demand. `summary` stays in view. */
export function Disclosure({ summary, open = false, children }: { summary: ReactNode; open?: boolean; children: ReactNode }) {
  return (
    <details open={open} className="group">
      <summary className="flex min-h-8 items-center gap-1.5 rounded-md text-sm font-medium text-muted hover:text-text">
        <Icon name="chevron" className="size-4 transition-transform group-open:rotate-90" />
        {summary}
      </summary>
      <div className="pt-2">{children}</div>
    </details>
  );
}
