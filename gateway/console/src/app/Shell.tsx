// The frame around every screen: header, navigation, skip link, shortcuts, and the screen itself.

import { lazy, Suspense, useEffect, useRef, useState, type MouseEvent } from "react";

import type { Me } from "../api/types";
import { CallsScreen } from "../screens/calls/CallsScreen";
import { titled } from "../model/attention";
import { AttentionBar } from "./AttentionBar";
import { Boundary } from "./Boundary";
import { FeedBanner } from "./FeedBanner";
import { Header } from "./Header";
import { useKeys } from "./keys";
import { useAlarms, useWaiting } from "./acknowledged";
import { Navigation } from "./Navigation";
import { ActiveCallBar } from "./ActiveCallBar";
import { toggleTheme } from "./preferences";
import { mayOpen } from "./permissions";
import { go, hrefs, parseRoute, SCREEN_NAMES, useRoute, type Route } from "./route";
import { ShortcutsDialog } from "./ShortcutsDialog";
import { useAlarm } from "./useAlarm";

// Calls come with the page; every other screen is loaded when it is first opened.
const PhoneScreen = lazy(async () => ({ default: (await import("../screens/phone/PhoneScreen")).PhoneScreen }));
const WordsScreen = lazy(async () => ({ default: (await import("../screens/words/WordsScreen")).WordsScreen }));
const RequestPage = lazy(async () => ({ default: (await import("../screens/requests/RequestPage")).RequestPage }));
const WorkScreen = lazy(async () => ({ default: (await import("../screens/requests/WorkScreen")).WorkScreen }));
const HistoryScreen = lazy(async () => ({ default: (await import("../screens/history/HistoryScreen")).HistoryScreen }));
const OverviewScreen = lazy(async () => ({ default: (await import("../screens/overview/OverviewScreen")).OverviewScreen }));
const KnowledgeScreen = lazy(async () => ({ default: (await import("../screens/knowledge/KnowledgeScreen")).KnowledgeScreen }));

const OversightScreen = lazy(async () => ({ default: (await import("../screens/oversight/OversightScreen")).OversightScreen }));
const SettingsScreen = lazy(async () => ({ default: (await import("../screens/settings/SettingsScreen")).SettingsScreen }));
const AccountScreen = lazy(async () => ({ default: (await import("../screens/account/AccountScreen")).AccountScreen }));
const AuditScreen = lazy(async () => ({ default: (await import("../screens/audit/AuditScreen")).AuditScreen }));

/** A single letter leads to each screen. */
const LETTERS: Record<string, string> = { c: hrefs.calls, w: hrefs.work, y: hrefs.history, o: hrefs.overview, n: hrefs.knowledge, p: hrefs.phone, t: hrefs.words, g: hrefs.oversight, e: hrefs.settings, a: hrefs.audit };

export function Shell({ me }: { me: Me }) {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const [help, setHelp] = useState(false);

  const waiting = useWaiting();
  const alarms = useAlarms();
  const { locked } = useAlarm(waiting, alarms);

  useEffect(() => {
    document.title = titled(`${SCREEN_NAMES[route.screen]} – Quandura Voice`, waiting, alarms.length);
  }, [route.screen, waiting, alarms.length]);

  useKeys((key) => {
    const href = LETTERS[key];
    if (href && mayOpen(me, parseRoute(href).screen)) go(href);
    else if (key === "?") setHelp(true);
    else if (key === "l") toggleTheme();
    else return false;
    return true;
  });

  // The address after '#' is the route, so the skip link moves the focus itself.
  const skip = (event: MouseEvent): void => {
    event.preventDefault();
    main.current?.focus();
  };

  return (
    <div className="flex min-h-dvh flex-col pb-16 md:pb-0 lg:h-dvh">
      <a
        href="#main"
        onClick={skip}
        className="absolute top-2 left-2 z-50 -translate-y-20 rounded-lg bg-accent-solid px-4 py-2 font-medium text-white focus:translate-y-0"
      >
        Skip to the content
      </a>
      <Header me={me} screen={route.screen} onHelp={() => setHelp(true)} />
      <AttentionBar waiting={waiting} alarms={alarms} locked={locked} />
      <FeedBanner />
      {route.screen !== "phone" && <ActiveCallBar />}
      <main id="main" ref={main} tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
        {/* A screen that cannot be loaded says so, and leaves the others as they are. */}
        <Boundary key={route.screen}>
          <Suspense fallback={<p className="p-6 text-muted">Loading…</p>}>
            <ScreenOf route={route} me={me} />
          </Suspense>
        </Boundary>
      </main>
      <Navigation me={me} screen={route.screen} place="bottom" />
      <ShortcutsDialog open={help} onClose={() => setHelp(false)} />
    </div>
  );
}

function ScreenOf({ route, me }: { route: Route; me: Me }) {
  if (!mayOpen(me, route.screen)) return <p className="p-6 text-muted">{SCREEN_NAMES[route.screen]}: your role does not see this.</p>;
  switch (route.screen) {
    case "calls":
      return <CallsScreen callId={route.id} me={me} />;
    case "work":
      return route.id === null ? <WorkScreen query={route.query} me={me} /> : <RequestPage key={route.id} id={route.id} me={me} />;
    case "history":
      return <HistoryScreen query={route.query} me={me} />;
    case "overview":
      return <OverviewScreen query={route.query} me={me} />;
    case "knowledge":
      return <KnowledgeScreen me={me} />;
    case "phone":
      return <PhoneScreen me={me} />;
    case "words":
      return <WordsScreen me={me} />;
    case "oversight":
      return <OversightScreen me={me} />;
    case "settings":
      return <SettingsScreen me={me} />;
    case "audit":
      return <AuditScreen me={me} />;
    case "account":
      return <AccountScreen />;
  }
}
