import { useId } from "react";

import type { Share } from "../model/overview";

interface ShareChartProps {
  title: string;
  shares: readonly Share[];
  name: (code: string) => string;
  none: string;
  /** Where a part leads. */
  href?: (code: string) => string;
}

/** Parts of a whole as bars with their numbers beside them, the largest first. */
export function ShareChart({ title, shares, name, none, href }: ShareChartProps) {
  const id = useId();
  const most = Math.max(1, ...shares.map((share) => share.value));
  return (
    <section aria-labelledby={id} className="rounded-xl border border-line bg-panel p-4">
      <h2 id={id} className="mb-3 text-sm font-semibold">
        {title}
      </h2>
      {shares.length === 0 && <p className="text-sm text-muted">{none}</p>}
      <dl className="space-y-2 text-sm">
        {shares.map((share) => (
          <div key={share.name} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3">
            <dt className="min-w-0 break-words">
              {href ? (
                <a href={href(share.name)} className="underline underline-offset-2 hover:no-underline">
                  {name(share.name)}
                </a>
              ) : (
                name(share.name)
              )}
            </dt>
            <dd className="figures font-semibold">{share.value}</dd>
            <dd aria-hidden="true" className="col-span-2 mt-1 h-1.5 rounded-full bg-raised">
              <svg viewBox="0 0 100 6" preserveAspectRatio="none" className="block h-1.5 w-full">
                <rect width={(share.value / most) * 100} height="6" fill="var(--stage-1)" />
              </svg>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
