import { useRef, type FormEvent } from "react";

import { Button } from "../../ui/Button";

/** People paste the whole link as often as the token in it; both work. */
export function tokenOf(text: string): string {
  const trimmed = text.trim();
  try {
    return new URL(trimmed).searchParams.get("token") ?? trimmed;
  } catch {
    return trimmed;
  }
}

/** A plain form: the gateway answers it by setting the session and coming back here. */
export function TokenForm() {
  const field = useRef<HTMLInputElement>(null);
  const clean = (_event: FormEvent): void => {
    if (field.current) field.current.value = tokenOf(field.current.value);
  };
  return (
    <form method="post" action="/sign-in" onSubmit={clean} className="space-y-3 rounded-xl border border-line bg-panel p-5">
      <h2 className="font-semibold">With a token</h2>
      <label className="block text-sm">
        <span className="mb-1.5 block text-muted">Access token, or the sign-in link itself</span>
        <input
          ref={field}
          name="token"
          type="password"
          required
          autoComplete="off"
          spellCheck={false}
          className="min-h-11 w-full rounded-lg border border-line-strong bg-ground px-3 font-mono text-sm"
        />
      </label>
      <Button type="submit" className="w-full">
        Sign in with the token
      </Button>
    </form>
  );
}
