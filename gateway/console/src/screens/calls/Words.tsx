import { splitHeard } from "../../model/heard";
import type { Utterance } from "../../model/state";
import { cx } from "../../ui/classes";

/** The words themselves. Interim words are slanted; words that never reached the caller are struck out. */
export function Words({ utterance: u, className }: { utterance: Utterance; className?: string }) {
  const { heard, rest } = u.cut ? splitHeard(u.text, u.heard) : { heard: u.text, rest: "" };
  return (
    <p className={cx("break-words", u.interim && "text-muted italic", className)}>
      {heard}
      {rest !== "" && (
        <>
          {heard !== "" && " "}
          <span className="sr-only">Not heard by the caller: </span>
          <s className="text-muted decoration-muted/70" title={u.estimated ? "Not heard by the caller (estimated)" : "Not heard by the caller"}>
            {rest}
          </s>
        </>
      )}
    </p>
  );
}
