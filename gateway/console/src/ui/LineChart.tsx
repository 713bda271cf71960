import { useId } from "react";

import { top, type Point } from "../model/overview";

interface Line {
  name: string;
  points: readonly Point[];
  /** A color of the theme. */
  color: string;
  /** Drawn with gaps, so that lines are told apart without their colors. */
  dashed?: boolean;
}

interface Props {
  title: string;
  lines: readonly Line[];
  name: (at: number) => string;
  value: (value: number) => string;
  every: number;
  /** The scale's top, where it is not the largest value. */
  most?: number;
}

const STEP = 10;
const HIGH = 100;

/** Lines over time, drawn by hand; whoever cannot see them has the same numbers in a table. */
export function LineChart({ title, lines, name, value, every, most: fixed }: Props) {
  const id = useId();
  const all = lines.flatMap((line) => line.points.map((point) => point.value ?? 0));
  const most = fixed ?? top(Math.max(0, ...all));
  const times = lines[0]?.points.map((point) => point.at) ?? [];
  const x = (n: number): number => n * STEP + STEP / 2;
  const y = (of: number): number => HIGH * (1 - Math.min(of, most) / most);
  return (
    <figure aria-labelledby={id} className="rounded-xl border border-line bg-panel p-4">
      <figcaption id={id} className="mb-3 text-sm font-semibold">
        {title}
      </figcaption>
      <div aria-hidden="true" className="figures grid grid-cols-[2.75rem_minmax(0,1fr)] text-xs text-muted">
        <div className="relative h-36">
          {[1, 0.5, 0].map((part) => (
            <span key={part} className="absolute right-2 -translate-y-1/2 whitespace-nowrap" style={{ top: `${100 * (1 - part)}%` }}>
              {value(most * part)}
            </span>
          ))}
        </div>
        <svg viewBox={`0 0 ${times.length * STEP} ${HIGH}`} preserveAspectRatio="none" focusable="false" className="h-36 w-full overflow-visible">
          {[0, 0.5, 1].map((part) => (
            <line key={part} x1="0" x2={times.length * STEP} y1={HIGH * part} y2={HIGH * part} stroke="var(--line)" vectorEffect="non-scaling-stroke" />
          ))}
          {lines.map((line) => (
            <g key={line.name} fill="none" stroke={line.color} strokeWidth="2" strokeLinecap="round" strokeDasharray={line.dashed ? "4 4" : undefined}>
              <path d={pathOf(line.points, x, y)} vectorEffect="non-scaling-stroke" />
            </g>
          ))}
        </svg>
        <div className="relative col-start-2 mt-1.5 h-4">
          {times.map((at, n) =>
            (times.length - 1 - n) % every === 0 ? (
              <span key={at} className={n === times.length - 1 ? "absolute right-0 whitespace-nowrap" : "absolute -translate-x-1/2 whitespace-nowrap"} style={n === times.length - 1 ? undefined : { left: `${(100 * (n + 0.5)) / times.length}%` }}>
                {name(at)}
              </span>
            ) : null,
          )}
        </div>
      </div>
      {lines.length > 1 && (
        <p aria-hidden="true" className="mt-2 flex flex-wrap gap-x-4 text-xs text-muted">
          {lines.map((line) => (
            <span key={line.name} className="inline-flex items-center gap-1.5">
              <svg viewBox="0 0 20 4" className="h-1 w-5">
                <line x1="0" x2="20" y1="2" y2="2" stroke={line.color} strokeWidth="3" strokeDasharray={line.dashed ? "4 4" : undefined} />
              </svg>
              {line.name}
            </span>
          ))}
        </p>
      )}
      <details className="mt-2 text-xs text-muted">
        <summary className="inline-flex min-h-6 items-center underline underline-offset-2">As a table</summary>
        <table className="mt-2">
          <thead>
            <tr>
              <th className="pr-6 text-left font-normal">When</th>
              {lines.map((line) => (
                <th key={line.name} className="pr-4 text-right font-normal">
                  {line.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((at, n) => (
              <tr key={at}>
                <th scope="row" className="pr-6 text-left font-normal">
                  {name(at)}
                </th>
                {lines.map((line) => {
                  const of = line.points[n]?.value ?? null;
                  return (
                    <td key={line.name} className="figures pr-4 text-right">
                      {of === null ? "none" : value(of)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

/** A line through what was measured; where nothing was, it breaks. A lone point is a short stroke. */
function pathOf(points: readonly Point[], x: (n: number) => number, y: (value: number) => number): string {
  return points
    .map(({ value }, n) => {
      if (value === null) return "";
      const begins = (points[n - 1]?.value ?? null) === null;
      const alone = begins && (points[n + 1]?.value ?? null) === null;
      return `${begins ? "M" : "L"}${x(n) - (alone ? 2 : 0)} ${y(value)}${alone ? ` h4` : ""}`;
    })
    .join(" ");
}
