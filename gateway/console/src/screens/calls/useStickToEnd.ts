import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";

/** Distance from the end, in pixels, that still counts as being there. */
const NEAR = 48;

/** Keeps a pane at its end as `content` grows, but never pulls a reader away from what they scrolled to. */
export function useStickToEnd(pane: RefObject<HTMLElement | null>, content: unknown): { away: boolean; toEnd: () => void } {
  const sticks = useRef(true);
  const [away, setAway] = useState(false);

  useEffect(() => {
    const element = pane.current;
    if (!element) return undefined;
    const onScroll = (): void => {
      sticks.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      setAway(!sticks.current);
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, [pane]);

  useLayoutEffect(() => {
    const element = pane.current;
    if (element && sticks.current) element.scrollTo({ top: element.scrollHeight });
  }, [pane, content]);

  const toEnd = (): void => {
    const element = pane.current;
    element?.scrollTo({ top: element.scrollHeight });
  };
  return { away, toEnd };
}
