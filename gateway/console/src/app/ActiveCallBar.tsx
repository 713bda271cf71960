import { duration } from "../model/format";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { useNow } from "./now";
import { phone, usePhone } from "./phone";
import { hrefs } from "./route";

/** While the browser phone is in a call, every other screen says so and offers the way back. */
export function ActiveCallBar() {
  const state = usePhone();
  const active = state.status === "talking";
  const now = useNow(active);
  if (!active) return null;
  return (
    <aside
      aria-label="Your call"
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line bg-good-soft px-5 py-2 text-sm"
    >
      <Icon name="phone" className="size-4.5 text-good" />
      <p>
        Your phone is in a call, <span className="figures">{duration(now - state.startedAt)}</span>
      </p>
      <a href={hrefs.phone} className="font-medium text-accent underline underline-offset-2">
        Back to the phone
      </a>
      <Button icon="hangup" className="min-h-8" onClick={() => phone.hangUp()}>
        Hang up
      </Button>
    </aside>
  );
}
