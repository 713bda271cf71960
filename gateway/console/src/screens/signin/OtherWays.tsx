import { useEffect, useState } from "react";

import { api, explain } from "../../api/client";
import { explainPasskey, takesPasskeys, signWithPasskey } from "../../api/passkeys";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";

/** Ways in that not every gateway has: the organization's own provider, and passkeys. */
export function OtherWays() {
  const [ways, setWays] = useState<{ openid: string | null; passkeys: string | null }>({ openid: null, passkeys: null });
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    const ask = new AbortController();
    // Without an answer the other ways are enough.
    api.waysToSignIn({ signal: ask.signal }).then(setWays, () => undefined);
    return () => ask.abort();
  }, []);
  const signIn = async (): Promise<void> => {
    try {
      await api.signInWithPasskey(await signWithPasskey(await api.passkeyOptions()));
      location.assign("/");
    } catch (failure) {
      setError(explainPasskey(failure) ?? explain(failure));
    }
  };
  const passkeys = takesPasskeys(ways.passkeys);
  if (ways.openid === null && !passkeys) return null;
  return (
    <div className="space-y-3">
      {error !== null && <Note alert>{error}</Note>}
      {ways.openid !== null && (
        <a href="/sign-in/openid" className="flex min-h-13 items-center justify-center rounded-lg bg-accent-solid px-5 font-medium text-white hover:brightness-115">
          Sign in with {ways.openid}
        </a>
      )}
      {passkeys && (
        <Button large className="w-full" onClick={() => void signIn()}>
          Sign in with a passkey
        </Button>
      )}
    </div>
  );
}
