import { useEffect, useState } from "react";

import { api } from "../../api/client";

/** The way in through the organization's own provider, where there is one. */
export function OpenidLink() {
  const [name, setName] = useState<string | null>(null);
  useEffect(() => {
    const ask = new AbortController();
    // Without an answer the other ways are enough.
    api.waysToSignIn({ signal: ask.signal }).then(({ openid }) => setName(openid), () => undefined);
    return () => ask.abort();
  }, []);
  if (name === null) return null;
  return (
    <a
      href="/sign-in/openid"
      className="flex min-h-13 items-center justify-center rounded-lg bg-accent-solid px-5 font-medium text-white hover:brightness-115"
    >
      Sign in with {name}
    </a>
  );
}
