import { Fragment } from "react";

import { heardParts } from "../../model/heard";
import type { Utterance } from "../../model/state";
import { cx } from "../../ui/classes";

/** The words themselves. Interim words are slanted; words that never reached the caller are struck out. */
export function Words({ utterance: u, className }: { utterance: Utterance; className?: string }) {
  const parts = u.cut ? heardParts(u.text, u.heard) : [{ text: u.text, heard: true }];
  return (
    <p className={cx("break-words", u.interim && "text-muted italic", className)}>
      {parts.map((part, at) => (
        <Fragment key={at}>
          {at > 0 && " "}
          {part.heard ? part.text : <NotHeard text={part.text} estimated={u.estimated} />}
        </Fragment>
      ))}
    </p>
  );
}

function NotHeard({ text, estimated }: { text: string; estimated: boolean }) {
  return (
    <>
      <span className="sr-only">Not heard by the caller: </span>
      <s className="text-muted decoration-muted/70" title={estimated ? "Not heard by the caller (estimated)" : "Not heard by the caller"}>
        {text}
      </s>
    </>
  );
}
