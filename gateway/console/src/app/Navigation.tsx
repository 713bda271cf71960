import { liveCalls } from "../model/select";
import { cx } from "../ui/classes";
import { Icon, type IconName } from "../ui/Icon";
import { useConsole } from "./console";
import { hrefs, type Screen } from "./route";

const ITEMS: { screen: Screen; label: string; icon: IconName; href: string }[] = [
  { screen: "calls", label: "Calls", icon: "calls", href: hrefs.calls },
  { screen: "work", label: "Requests", icon: "work", href: hrefs.work },
  { screen: "phone", label: "Phone", icon: "phone", href: hrefs.phone },
  { screen: "words", label: "Try words", icon: "words", href: hrefs.words },
];

/** In the header on wide screens, under the thumb on narrow ones. Only one of the two is ever displayed. */
export function Navigation({ screen, place }: { screen: Screen; place: "top" | "bottom" }) {
  const live = useConsole((now) => liveCalls(now.state).length);
  const bottom = place === "bottom";
  return (
    <nav
      aria-label="Screens"
      className={bottom ? "fixed inset-x-0 bottom-0 z-20 border-t border-line bg-panel md:hidden" : "hidden md:block"}
    >
      <ul className={cx("flex", bottom ? "justify-around" : "gap-1")}>
        {ITEMS.map((item) => (
          <li key={item.screen} className={bottom ? "flex-1" : ""}>
            <a
              href={item.href}
              aria-current={screen === item.screen ? "page" : undefined}
              className={cx(
                "flex items-center justify-center rounded-lg font-medium transition-colors",
                bottom ? "min-h-15 flex-col gap-0.5 text-xs" : "min-h-10 gap-2 px-3.5 text-sm",
                screen === item.screen ? "text-accent" : "text-muted hover:text-text",
                screen === item.screen && !bottom && "bg-accent-soft",
              )}
            >
              <Icon name={item.icon} className="size-5" />
              <span>
                {item.label}
                {item.screen === "calls" && live > 0 && (
                  <span className="figures ml-1.5 rounded-full bg-good-soft px-1.5 py-px text-xs font-semibold text-good">
                    {live} live
                  </span>
                )}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
