import type { WorkItem } from "../../api/types";
import { fieldText } from "../../model/format";

/** The reference that the caller was given; where there is none, the end of the id, which is unique enough to say aloud. */
export function reference(item: WorkItem): string {
  const field = item.fields?.find((f) => f.name === "reference")?.value;
  return item.reference ?? (field ? fieldText(field) : `…${item.id.slice(-6).toUpperCase()}`);
}
