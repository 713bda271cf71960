import { useEffect, useId, useRef, useState } from "react";

import { at, list, type Config, type Value } from "../../model/config";
import { Button } from "../../ui/Button";
import { Panel } from "../../ui/Panel";
import { asIfYes, asList, asNumber, asUnlessNo, Field, Grid, Week, type Part } from "./fields";
import { asSpoken, isWarm, LANGUAGES, nameOf, offersRefer, raised, summary, withOpen, without, withRaised, withWarm, wrongOnes } from "./targets";

/** Whom callers can be put through to: a line for each, and its fields once they are asked for. */
export function TargetsForm(part: Part) {
  const { document, change, faults } = part;
  const [open, setOpen] = useState<readonly number[]>([]);
  /** What was wrong when it was opened for that. */
  const [seen, setSeen] = useState("");
  const [added, setAdded] = useState(0);
  /** Where the one is now that was moved last: the focus goes with it, at each move anew. */
  const [moved, setMoved] = useState({ to: 0 });
  const add = useRef<HTMLButtonElement>(null);
  const items = list(document, "target");
  const wrong = wrongOnes(faults);
  const ofAll = faults.find(({ key }) => key === "target");
  // Opened once and for good: with the first letter that puts something right, nothing is known to be wrong any more.
  if (wrong.join() !== seen) {
    setSeen(wrong.join());
    setOpen(withOpen(open, wrong));
  }
  return (
    <Panel title="Transfer targets" level={2}>
      <p className="text-sm text-muted">The people and desks that callers can be put through to. Of several that fit, the first is offered.</p>
      {ofAll && <p className="mt-2 text-sm text-danger">{`The list ${ofAll.message}.`}</p>}
      {items.length === 0 && <p className="mt-2 text-sm text-muted">None: callers are offered a callback.</p>}
      <ul className="mt-2 divide-y divide-line text-sm">
        {items.map((target, index) => {
          const n = index + 1;
          const isOpen = open.includes(n);
          return (
            // Its place is its name in the document.
            <li key={n} data-target={n} className="py-2">
              <TargetRow
                name={nameOf(target, n)}
                about={summary(target)}
                wrong={wrong.filter((one) => one === n).length}
                isOpen={isOpen}
                moved={moved.to === n ? moved : null}
                onEdit={() => {
                  setAdded(0);
                  setMoved({ to: 0 });
                  setOpen(isOpen ? open.filter((one) => one !== n) : [...open, n]);
                }}
                {...(n > 1 && {
                  onMoveUp: () => {
                    setAdded(0);
                    setOpen(withRaised(open, n));
                    change("target", raised(items, n));
                    setMoved({ to: n - 1 });
                  },
                })}
                onTakeOut={() => {
                  setAdded(0);
                  setMoved({ to: 0 });
                  setOpen(without(open, n));
                  change(`target[${n}]`, undefined);
                  // The button that was pressed is gone: the focus stays in this part.
                  add.current?.focus();
                }}
              />
              {isOpen && <TargetFields {...part} name={`target[${n}]`} legend={`Fields of ${nameOf(target, n)}`} isNew={added === n} />}
            </li>
          );
        })}
      </ul>
      <div className="mt-3">
        <Button
          ref={add}
          onClick={() => {
            const n = items.length + 1;
            setAdded(n);
            setMoved({ to: 0 });
            setOpen(withOpen(open, [n]));
            change(`target[${n}]`, {});
          }}
        >
          Add a target
        </Button>
      </div>
    </Panel>
  );
}

interface RowProps {
  name: string;
  about: string;
  /** How many things are wrong with it. */
  wrong: number;
  isOpen: boolean;
  /** The move that has just brought it here. */
  moved: object | null;
  onEdit: () => void;
  /** Not for the first, which has nothing above it. */
  onMoveUp?: () => void;
  onTakeOut: () => void;
}

function TargetRow({ name, about, wrong, isOpen, moved, onEdit, onMoveUp, onTakeOut }: RowProps) {
  const edit = useRef<HTMLButtonElement>(null);
  const up = useRef<HTMLButtonElement>(null);
  // Pressed again, the same key moves the same one further, until it is the first.
  useEffect(() => {
    if (moved) (up.current ?? edit.current)?.focus();
  }, [moved]);
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <p className="min-w-0 break-words">
        <span className="font-medium">{name}</span>
        <span className="block text-xs text-muted">{about}</span>
        {wrong > 0 && <span className="block text-xs text-danger">{wrong === 1 ? "One thing is wrong." : `${wrong} things are wrong.`}</span>}
      </p>
      <p className="flex flex-wrap items-center gap-2">
        {onMoveUp && (
          <Button ref={up} onClick={onMoveUp}>
            Move up<span className="sr-only"> {name}</span>
          </Button>
        )}
        <Button ref={edit} onClick={onEdit}>
          {isOpen ? "Close" : "Edit"}
          <span className="sr-only"> {name}</span>
        </Button>
        <Button onClick={onTakeOut}>
          Take out<span className="sr-only"> {name}</span>
        </Button>
      </p>
    </div>
  );
}

const WARMTH = [
  ["no", "Cold: at once"],
  ["yes", "Warm: the person is asked first"],
] as const;
const NOTES = [
  ["no", "None are taken"],
  ["yes", "A silent note-taker stays"],
] as const;
const BY = [
  ["yes", "The agent and supervisors"],
  ["no", "Supervisors only"],
] as const;
const WAITING = [
  ["no", "Callers do not wait"],
  ["yes", "Callers may wait in line"],
] as const;

interface FieldsProps extends Part {
  /** The place in the document. */
  name: string;
  legend: string;
  isNew: boolean;
}

function TargetFields({ name, legend, isNew, ...part }: FieldsProps) {
  const id = useId();
  const fields = useRef<HTMLFieldSetElement>(null);
  // Whoever added one is going to name it.
  useEffect(() => {
    if (isNew) fields.current?.querySelector("input")?.focus();
  }, [isNew]);
  const target = (at(part.document, name) ?? {}) as Config;
  const warmth = { ...part, change: (_: string, value: Value): void => part.change(name, withWarm(target, value === true)) };
  return (
    <fieldset ref={fields} className="mt-3 pb-2">
      <legend className="sr-only">{legend}</legend>
      <Grid>
        <Field {...part} name={`${name}.name`} label="Name" hint="As callers hear it: the clerk’s office" />
        <Field {...part} name={`${name}.number`} label="Number" hint="+12025550180" />
        <Field {...warmth} name={`${name}.warm`} label="Transfer" hint={isWarm(target) ? "The caller waits with the agent meanwhile" : "The caller leaves the agent while it rings"} choices={WARMTH} as={asIfYes} />
        {isWarm(target) && <Field {...part} name={`${name}.notes`} label="Notes of the talk" hint="Callers are told before the two talk that notes are taken, and may say no" choices={NOTES} as={asIfYes} />}
        {offersRefer(target) && <Field {...part} name={`${name}.refer`} label="SIP address" hint="For callers who come over SIP: sip:clerk@pbx.example.gov. Empty: the number is dialed" />}
        <Field {...part} name={`${name}.transfer_by_agent`} label="Who puts callers through" choices={BY} as={asUnlessNo} />
        <Field {...part} name={`${name}.languages`} label="Languages spoken there" choices={LANGUAGES} as={asSpoken} />
        <Field {...part} name={`${name}.lines`} label="Lines" hint="People who can be on calls there at a time. Empty: one" as={asNumber} />
        <Field {...part} name={`${name}.queue`} label="When all lines are busy" choices={WAITING} as={asIfYes} />
        <Field {...part} name={`${name}.on_lines`} label="For callers of" hint="Numbers of the office’s own lines, with commas. Empty: all lines" as={asList} />
        <Field {...part} name={`${name}.subjects`} label="Subjects" hint="What it is there for, in callers’ words, with commas. Empty: anything" as={asList} wide />
      </Grid>
      <fieldset className="mt-4" aria-describedby={id}>
        <legend className="text-sm font-medium">Hours of this target</legend>
        <p id={id} className="mt-1 mb-3 text-xs text-muted">
          As 8:00-16:30. A day of its own wins over Monday to Friday; “closed” closes it. All empty: the office’s hours and holidays; else only these.
        </p>
        <Week {...part} name={`${name}.hours`} />
      </fieldset>
    </fieldset>
  );
}
