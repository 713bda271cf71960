import type { ReactNode } from "react";

import { Icon, type IconName } from "./Icon";

/** A link that looks like the primary button, for going somewhere. */
export function LinkButton({ href, icon, children }: { href: string; icon?: IconName; children: ReactNode }) {
  return (
    <a
      href={href}
      className="inline-flex min-h-10 items-center justify-center gap-2 rounded-lg bg-accent-solid px-4 text-sm font-medium text-white hover:brightness-115"
    >
      {icon && <Icon name={icon} className="size-4.5" />}
      {children}
    </a>
  );
}
