import type { Attention } from "../../api/types";
import { attentionText } from "../../model/attention";
import { Badge } from "../../ui/Badge";
import { Icon } from "../../ui/Icon";

/** Says that a person should look, and why. Nothing at all when none is needed: a badge on every row would be seen on none. */
export function AttentionBadge({ level, reason }: { level: Attention; reason: string }) {
  if (level === "none") return null;
  return (
    <Badge tone={level === "urgent" ? "danger" : "warm"}>
      <Icon name="alert" className="size-3.5" />
      <span className="sr-only">{level === "urgent" ? "Urgent: " : "Watch: "}</span>
      {attentionText(level, reason)}
    </Badge>
  );
}
