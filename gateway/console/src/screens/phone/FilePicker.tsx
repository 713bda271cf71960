import { cx } from "../../ui/classes";
import { Icon } from "../../ui/Icon";

/** The browser's own file field under a label of ours: the field keeps keyboard and screen reader behaviour. */
export function FilePicker({ label, onFile, className }: { label: string; onFile: (file: File) => void; className?: string }) {
  return (
    <label
      className={cx(
        "flex min-h-11 items-center gap-2.5 rounded-lg border border-dashed border-line-strong px-3 text-sm font-medium hover:bg-raised",
        "has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
        className,
      )}
    >
      <Icon name="file" className="size-4.5 text-muted" />
      <span className="min-w-0 truncate">{label}</span>
      <input
        type="file"
        accept="audio/*,.wav"
        className="sr-only"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) onFile(file);
          // So that the same file can be chosen once more.
          event.target.value = "";
        }}
      />
    </label>
  );
}
