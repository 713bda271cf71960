import { useId } from "react";

import { top, type Bar } from "../model/overview";
import { cx } from "./classes";

interface Props {
  title: string;
  bars: readonly Bar[];
  /** Name of a bar, for its label. */
  name: (at: number) => string;
  value: (value: number) => string;
  /** Each how many bars are named below. */
  every: number;
}

/** Width of a bar with its gap, in the drawing's own units; the drawing is stretched to the room there is. */
const STEP = 10;
const HIGH = 100;

/** Bars over time, drawn by hand. Whoever cannot see them has the same numbers in a table. */
export function BarChart({ title, bars, name, value, every }: Props) {
  const id = useId();
  const most = top(Math.max(0, ...bars.map((bar) => bar.value)));
  return (
    <figure aria-labelledby={id} className="rounded-xl border border-line bg-panel p-4">
      <figcaption id={id} className="mb-3 text-sm font-semibold">
        {title}
      </figcaption>
      {/* Words stand beside the drawing, not in it: they keep the size that the reader chose. */}
      <div aria-hidden="true" className="figures grid grid-cols-[2.75rem_minmax(0,1fr)] text-xs text-muted">
        <div className="relative h-36">
          {[1, 0.5, 0].map((part) =>
            part === 0.5 && most === 1 ? null : (
              <span key={part} className="absolute right-2 -translate-y-1/2" style={{ top: `${100 * (1 - part)}%` }}>
                {value(most * part)}
              </span>
            ),
          )}
        </div>
        <svg viewBox={`0 0 ${bars.length * STEP} ${HIGH}`} preserveAspectRatio="none" focusable="false" className="h-36 w-full overflow-visible">
          {[0, 0.5, 1].map((part) => (
            <line key={part} x1="0" x2={bars.length * STEP} y1={HIGH * part} y2={HIGH * part} stroke="var(--line)" vectorEffect="non-scaling-stroke" />
          ))}
          {bars.map((bar, n) => (
            <rect key={bar.at} x={n * STEP + 1} y={HIGH * (1 - bar.value / most)} width={STEP - 2} height={(HIGH * bar.value) / most} fill="var(--stage-1)">
              <title>{`${name(bar.at)}: ${value(bar.value)}`}</title>
            </rect>
          ))}
        </svg>
        <div className="relative col-start-2 mt-1.5 h-4">
          {bars.map((bar, n) =>
            (bars.length - 1 - n) % every === 0 ? (
              <span
                key={bar.at}
                className={cx("absolute whitespace-nowrap", n === bars.length - 1 && every > 1 ? "right-0" : "-translate-x-1/2")}
                style={n === bars.length - 1 && every > 1 ? undefined : { left: `${(100 * (n + 0.5)) / bars.length}%` }}
              >
                {name(bar.at)}
              </span>
            ) : null,
          )}
        </div>
      </div>
      <details className="mt-2 text-xs text-muted">
        <summary className="inline-flex min-h-6 items-center underline underline-offset-2">As a table</summary>
        <table className="mt-2">
          <thead className="sr-only">
            <tr>
              <th>When</th>
              <th>{title}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map((bar) => (
              <tr key={bar.at}>
                <th scope="row" className="pr-6 text-left font-normal">
                  {name(bar.at)}
                </th>
                <td className="figures text-right">{value(bar.value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
