import { Dialog } from "../ui/Dialog";
import { SHORTCUTS } from "./keys";
import { setPreference, usePreferences } from "./preferences";

export function ShortcutsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { shortcuts } = usePreferences();
  const places = [...new Set(SHORTCUTS.map((s) => s.where))];
  return (
    <Dialog open={open} title="Keyboard shortcuts" onClose={onClose}>
      <div className="space-y-4">
        {places.map((where) => (
          <section key={where}>
            <h3 className="mb-1 text-sm font-semibold text-muted">{where}</h3>
            <dl className="divide-y divide-line">
              {SHORTCUTS.filter((s) => s.where === where).map((s) => (
                <div key={s.does} className="flex items-center justify-between gap-4 py-1.5 text-sm">
                  <dd>{s.does}</dd>
                  <dt className="order-last">
                    <kbd className="rounded-md border border-line-strong/60 bg-raised px-2 py-0.5 font-mono text-xs">{s.keys}</kbd>
                  </dt>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <label className="flex items-start gap-2.5 rounded-lg bg-raised p-3 text-sm">
          <input
            type="checkbox"
            className="mt-0.5 size-4.5 accent-accent-solid"
            checked={shortcuts === "on"}
            onChange={(event) => setPreference("shortcuts", event.target.checked ? "on" : "off")}
          />
          <span>
            Single-key shortcuts are on. <span className="text-muted">Turn them off if you control the computer by voice. Everything also works with Tab and Enter.</span>
          </span>
        </label>
      </div>
    </Dialog>
  );
}
