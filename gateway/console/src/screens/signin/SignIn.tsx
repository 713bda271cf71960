import { Brand } from "../../app/Brand";
import { Note } from "../../ui/Note";
import { LoginForm } from "./LoginForm";
import { OtherWays } from "./OtherWays";
import { TokenForm } from "./TokenForm";

/** For a person who is not signed in: what the one-time link is, and where to get one. */
export function SignIn({ ended }: { ended: boolean }) {
  // The gateway's own sign-in page sends people here when their link was used before or is too old.
  const expired = new URLSearchParams(location.search).has("expired") || location.hash.includes("expired");
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-lg flex-col justify-center gap-6 px-5 py-10">
      <Brand />
      <div className="space-y-2">
        <h1 className="text-2xl font-semibold">{ended ? "Your session has ended" : "Sign in to the console"}</h1>
        <p className="text-muted">
          {ended
            ? "Sessions end after a while so that an unattended screen shows nothing. Nothing was lost: calls go on without the console."
            : "From here you watch live calls, work on requests, and make a test call from this browser."}
        </p>
      </div>
      {expired && (
        <Note tone="warm">
          <p className="font-semibold">That link has expired or was already used.</p>
          <p>Links work once, so that one found in an old message opens nothing. A pasted token may also be wrong or revoked.</p>
        </Note>
      )}
      <OtherWays />
      <LoginForm />
      <section className="space-y-3 rounded-xl border border-line bg-panel p-5">
        <h2 className="font-semibold">With a one-time link</h2>
        <ol className="list-decimal space-y-2 pl-5 text-sm marker:text-muted">
          <li>Look at the terminal in which the gateway was started. It prints a sign-in link.</li>
          <li>Open that link in this browser within 15 minutes, and press the button on the page.</li>
          <li>
            The link is gone, or too old? <code className="rounded bg-raised px-1.5 py-0.5 font-mono text-[0.85em]">quandura user link</code>{" "}
            on the gateway's machine prints a new one. Elsewhere, ask your administrator.
          </li>
        </ol>
      </section>
      <TokenForm />
    </main>
  );
}
