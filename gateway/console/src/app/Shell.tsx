// The frame around every screen: header, navigation, skip link, shortcuts, and the screen itself.

import { useEffect, useRef, useState, type MouseEvent } from "react";

import type { Me } from "../api/types";
import { CallsScreen } from "../screens/calls/CallsScreen";
import { PhoneScreen } from "../screens/phone/PhoneScreen";
import { WordsScreen } from "../screens/words/WordsScreen";
import { RequestPage } from "../screens/work/RequestPage";
import { WorkScreen } from "../screens/work/WorkScreen";
import { titled } from "../model/attention";
import { AttentionBar } from "./AttentionBar";
import { FeedBanner } from "./FeedBanner";
import { Header } from "./Header";
import { useKeys } from "./keys";
import { useWaiting } from "./looked";
import { Navigation } from "./Navigation";
import { OnCallBar } from "./OnCallBar";
import { toggleTheme } from "./preferences";
import { go, hrefs, useRoute, type Screen } from "./route";
import { ShortcutsDialog } from "./ShortcutsDialog";
import { useAlarm } from "./useAlarm";

const TITLES: Record<Screen, string> = { calls: "Calls", work: "Requests", phone: "Phone", words: "Try words" };

export function Shell({ me }: { me: Me }) {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const [help, setHelp] = useState(false);

  const waiting = useWaiting();
  const { locked } = useAlarm(waiting);

  useEffect(() => {
    document.title = titled(`${TITLES[route.screen]} – Quandura Voice`, waiting);
  }, [route.screen, waiting]);

  useKeys((key) => {
    switch (key) {
      case "?":
        setHelp(true);
        return true;
      case "c":
        go(hrefs.calls);
        return true;
      case "w":
        go(hrefs.work);
        return true;
      case "p":
        go(hrefs.phone);
        return true;
      case "t":
        go(hrefs.words);
        return true;
      case "l":
        toggleTheme();
        return true;
      default:
        return false;
    }
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
      <AttentionBar waiting={waiting} locked={locked} />
      <FeedBanner />
      {route.screen !== "phone" && <OnCallBar />}
      <main id="main" ref={main} tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
        {route.screen === "calls" && <CallsScreen callId={route.id} me={me} />}
        {route.screen === "work" && route.id === null && <WorkScreen query={route.query} me={me} />}
        {route.screen === "work" && route.id !== null && <RequestPage key={route.id} id={route.id} me={me} />}
        {route.screen === "phone" && <PhoneScreen me={me} />}
        {route.screen === "words" && <WordsScreen />}
      </main>
      <Navigation screen={route.screen} place="bottom" />
      <ShortcutsDialog open={help} onClose={() => setHelp(false)} />
    </div>
  );
}
