import { useId, type ReactNode } from "react";

/** A titled part of a page; a region that screen readers can jump to. */
interface Props {
  title: string;
  aside?: ReactNode;
  /** Of its heading: 2 where the panels are the page, 3 where they are beside something. */
  level?: 2 | 3;
  children: ReactNode;
}

export function Panel({ title, aside, level = 3, children }: Props) {
  const id = useId();
  const Heading = `h${level}` as const;
  return (
    <section aria-labelledby={id} className="rounded-xl border border-line bg-panel p-4">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <Heading id={id} className="text-sm font-semibold">
          {title}
        </Heading>
        {aside}
      </div>
      {children}
    </section>
  );
}
