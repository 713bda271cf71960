import { Button } from "../../ui/Button";
import { INPUT } from "../../ui/classes";

/** A plain form: the gateway answers it by setting the session and coming back here, or with a page that says what was wrong. */
export function LoginForm() {
  return (
    <form method="post" action="/sign-in/password" className="space-y-3 rounded-xl border border-line bg-panel p-5">
      <h2 className="font-semibold">With your password</h2>
      <label className="block text-sm font-medium">
        Login
        <input name="login" required maxLength={200} autoComplete="username" autoCapitalize="none" spellCheck={false} className={INPUT} />
      </label>
      <label className="block text-sm font-medium">
        Password
        <input name="password" type="password" required maxLength={1000} autoComplete="current-password" className={INPUT} />
      </label>
      <Button tone="primary" type="submit" className="w-full">
        Sign in
      </Button>
    </form>
  );
}
