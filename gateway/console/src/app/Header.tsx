import { api } from "../api/client";
import type { Me } from "../api/types";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { Brand } from "./Brand";
import { FeedStatus } from "./FeedStatus";
import { Navigation } from "./Navigation";
import { setPreference, toggleTheme, usePreferences, useTheme } from "./preferences";
import { hrefs, SCREEN_NAMES, type Screen } from "./route";

export function Header({ me, screen, onHelp }: { me: Me; screen: Screen; onHelp: () => void }) {
  const { sound } = usePreferences();
  const theme = useTheme();
  const signOut = (): void => {
    // Whatever the answer, a fresh load shows the truth.
    const reload = (): void => location.reload();
    void api.signOut().then((answer) => (answer ? location.assign(answer.then) : reload()), reload);
  };
  return (
    <header className="sticky top-0 z-20 flex h-14 shrink-0 items-center gap-2 border-b border-line bg-panel px-3 sm:gap-4 sm:px-5">
      <Brand tenant={me.tenant} tenants={me.tenants} />
      <Navigation me={me} screen={screen} place="top" />
      <div className="ml-auto flex items-center gap-0.5 sm:gap-1">
        <FeedStatus />
        <IconButton
          label={sound === "on" ? "Mute the alarm" : "Let the alarm sound"}
          aria-pressed={sound === "off"}
          icon={sound === "on" ? "bell" : "bellOff"}
          onClick={() => setPreference("sound", sound === "on" ? "off" : "on")}
        />
        <IconButton
          label={theme === "dark" ? "Switch to light" : "Switch to dark"}
          icon={theme === "dark" ? "sun" : "moon"}
          onClick={toggleTheme}
        />
        <span className="max-sm:hidden">
          <IconButton label="Keyboard shortcuts" icon="keyboard" onClick={onHelp} />
        </span>
        <a
          href={hrefs.account}
          aria-label={SCREEN_NAMES.account}
          title={SCREEN_NAMES.account}
          aria-current={screen === "account" ? "page" : undefined}
          className="inline-flex size-10 items-center justify-center rounded-lg text-muted transition-colors hover:bg-raised hover:text-text"
        >
          <Icon name="account" />
        </a>
        <IconButton label="Sign out" icon="exit" onClick={signOut} />
      </div>
    </header>
  );
}
