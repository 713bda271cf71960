import { useRef } from "react";

import type { Me } from "../api/types";
import { liveCalls } from "../model/select";
import { cx } from "../ui/classes";
import { Icon, type IconName } from "../ui/Icon";
import { useConsole } from "./console";
import { mayOpen } from "./permissions";
import { hrefs, SCREEN_NAMES, type Screen } from "./route";

/** In the order of use; under the thumb the first four have a place of their own, the rest are behind "More". */
const ITEMS: readonly Screen[] = ["calls", "work", "history", "phone", "overview", "knowledge", "words", "oversight", "settings", "audit"];
/** Of these there is the sign alone, unless there is plenty of room. */
const QUIET: readonly Screen[] = ["words", "oversight", "settings", "audit"];
const FIRST = 4;
const icon = (screen: Screen): IconName => screen;

/** In the header on wide screens, under the thumb on narrow ones. Only one of the two is ever displayed. */
export function Navigation({ me, screen, place }: { me: Me; screen: Screen; place: "top" | "bottom" }) {
  const items = ITEMS.filter((item) => mayOpen(me, item));
  return place === "top" ? <Top items={items} screen={screen} /> : <Bottom items={items} screen={screen} />;
}

interface Props {
  items: readonly Screen[];
  screen: Screen;
}

function Top({ items, screen }: Props) {
  return (
    <nav aria-label="Screens" className="hidden min-w-0 md:block">
      <ul className="flex gap-0.5">
        {items.map((item) => (
          <li key={item}>
            <a
              href={hrefs[item]}
              aria-current={screen === item ? "page" : undefined}
              title={SCREEN_NAMES[item]}
              className={cx(
                "flex min-h-10 items-center justify-center gap-2 rounded-lg px-2.5 text-sm font-medium whitespace-nowrap transition-colors",
                screen === item ? "bg-accent-soft text-accent" : "text-muted hover:text-text",
              )}
            >
              {/* Where there is no room for both, the names stay; where there is not even for those, signs, and the name of the open screen. */}
              <Icon name={icon(item)} className={cx("size-5", !QUIET.includes(item) && "xl:max-[88rem]:hidden")} />
              <span className={cx(screen !== item && (QUIET.includes(item) ? "max-[104rem]:sr-only" : "max-xl:sr-only"))}>{SCREEN_NAMES[item]}</span>
              {item === "calls" && <LiveCount />}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const TAB = "flex min-h-15 w-full flex-col items-center justify-center gap-0.5 text-xs font-medium whitespace-nowrap";

function Bottom({ items, screen }: Props) {
  const more = useRef<HTMLDetailsElement>(null);
  const rest = items.slice(FIRST);
  const within = rest.includes(screen);
  return (
    <nav aria-label="Screens" className="fixed inset-x-0 bottom-0 z-20 border-t border-line bg-panel md:hidden">
      <ul className="grid grid-cols-5">
        {items.slice(0, FIRST).map((item) => (
          <li key={item}>
            <a href={hrefs[item]} aria-current={screen === item ? "page" : undefined} className={cx(TAB, screen === item ? "text-accent" : "text-muted")}>
              <span className="relative">
                <Icon name={icon(item)} className="size-5" />
                {item === "calls" && (
                  <span className="absolute -top-1.5 left-4">
                    <LiveCount short />
                  </span>
                )}
              </span>
              {SCREEN_NAMES[item]}
            </a>
          </li>
        ))}
        <li className="relative">
          <details ref={more}>
            <summary className={cx(TAB, within ? "text-accent" : "text-muted")}>
              <Icon name={within ? icon(screen) : "more"} className="size-5" />
              {within ? SCREEN_NAMES[screen] : "More"}
            </summary>
            <ul className="absolute right-2 bottom-full mb-2 min-w-44 rounded-xl border border-line bg-panel p-1.5 shadow-2xl">
              {rest.map((item) => (
                <li key={item}>
                  <a
                    href={hrefs[item]}
                    aria-current={screen === item ? "page" : undefined}
                    onClick={() => more.current?.removeAttribute("open")}
                    className={cx("flex min-h-11 items-center gap-3 rounded-lg px-3 text-sm font-medium", screen === item ? "bg-accent-soft text-accent" : "text-text")}
                  >
                    <Icon name={icon(item)} className="size-5" />
                    {SCREEN_NAMES[item]}
                  </a>
                </li>
              ))}
            </ul>
          </details>
        </li>
      </ul>
    </nav>
  );
}

/** How many are on the line now. */
function LiveCount({ short = false }: { short?: boolean }) {
  const live = useConsole((now) => liveCalls(now.state).length);
  if (live === 0) return null;
  return (
    <span className="figures rounded-full bg-good-soft px-1.5 py-px text-xs font-semibold text-good">
      {live}
      <span className={cx(short && "sr-only")}> live</span>
    </span>
  );
}
