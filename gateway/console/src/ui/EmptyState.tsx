import type { ReactNode } from "react";

import { Icon, type IconName } from "./Icon";

/** Nothing here yet: says so, and what to do next. */
export function EmptyState({ icon, title, children }: { icon: IconName; title: string; children: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-3 px-6 py-12 text-center">
      <span className="grid size-14 place-items-center rounded-2xl bg-raised text-warm">
        <Icon name={icon} className="size-7" />
      </span>
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="space-y-3 text-sm text-muted">{children}</div>
    </div>
  );
}
