import type { LineFigures, Me, UnansweredQuestion } from "../../api/types";
import { useNow } from "../../app/now";
import { hrefs } from "../../app/route";
import { when } from "../../model/when";
import { Panel } from "../../ui/Panel";
import { takeAlong } from "../knowledge/draft";
import { writesPages } from "../knowledge/roles";
import { veiled } from "../requests/labels";

const LINK = "inline-flex min-h-8 items-center font-medium text-accent underline underline-offset-2";

/** Questions that no page answered, each with the way to a page that does. */
export function Unanswered({ questions, me }: { questions: LineFigures["questions"]; me: Me }) {
  const { answered, unanswered, without_a_page: newest } = questions;
  return (
    <Panel title="Questions without a page" level={2}>
      <p className="text-sm text-muted">
        {answered + unanswered === 0 ? "Nobody asked a question in this time." : `${unanswered} of ${answered + unanswered} questions found no page.`}
        {newest.length < unanswered && newest.length > 0 && ` These are the newest ${newest.length}.`}
      </p>
      {newest.length > 0 && (
        <ul className="mt-2 divide-y divide-line text-sm">
          {newest.map((question) => (
            <Question key={`${question.call_id}/${question.turn}`} question={question} writes={writesPages(me)} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Question({ question: { call_id, turn, at, text }, writes }: { question: UnansweredQuestion; writes: boolean }) {
  const now = useNow();
  const said = text === null ? null : veiled(text);
  return (
    <li data-question={`${call_id}/${turn}`} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
      <p className="min-w-0 flex-1 basis-60 break-words">
        {said ?? <span className="text-muted">The words are not kept any more.</span>}
        <span className="block text-xs text-muted">{when(at, now)}</span>
      </p>
      <p className="flex flex-wrap gap-x-4">
        <a href={hrefs.call(call_id)} className={LINK}>
          The call<span className="sr-only"> in which it was asked: {said}</span>
        </a>
        {writes && said !== null && (
          <a href={hrefs.knowledge} onClick={() => takeAlong(said)} className={LINK}>
            Answer it<span className="sr-only"> with a page: {said}</span>
          </a>
        )}
      </p>
    </li>
  );
}
