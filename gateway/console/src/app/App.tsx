import { useEffect } from "react";

import { SignIn } from "../screens/signin/SignIn";
import { Unreachable } from "../screens/signin/Unreachable";
import { consoleStore, useConsole } from "./console";
import { Shell } from "./Shell";
import { useSession } from "./session";

export function App() {
  const { session, retry } = useSession();
  const feedLost = useConsole((now) => now.feed.kind === "signed-out");
  const signedIn = session.kind === "in";
  useEffect(() => {
    if (signedIn) consoleStore.start();
  }, [signedIn]);

  if (session.kind === "checking") return <p className="p-8 text-muted">Opening the console…</p>;
  if (session.kind === "unreachable") return <Unreachable error={session.error} onRetry={retry} />;
  if (session.kind === "out" || feedLost) return <SignIn ended={feedLost || (session.kind === "out" && session.ended)} />;
  return <Shell me={session.me} />;
}
