import type { ComponentProps } from "react";

import { cx } from "./classes";
import { Icon, type IconName } from "./Icon";

const TONES = {
  primary: "bg-accent-solid text-white border-transparent hover:brightness-115",
  danger: "bg-danger-solid text-white border-transparent hover:brightness-115",
  plain: "bg-raised text-text border-line-strong/60 hover:border-line-strong",
  quiet: "bg-transparent text-muted border-transparent hover:bg-raised hover:text-text",
} as const;

interface Props extends ComponentProps<"button"> {
  tone?: keyof typeof TONES;
  icon?: IconName;
  /** Large targets for what is pressed in a hurry. */
  large?: boolean;
}

export function Button({ tone = "plain", icon, large = false, className, children, ...rest }: Props) {
  return (
    <button
      type="button"
      className={cx(
        "inline-flex items-center justify-center gap-2 rounded-lg border font-medium whitespace-nowrap transition-[filter,background-color,border-color]",
        "disabled:cursor-not-allowed disabled:opacity-55",
        large ? "min-h-13 px-5 text-base" : "min-h-10 px-3.5 text-sm",
        TONES[tone],
        className,
      )}
      {...rest}
    >
      {icon && <Icon name={icon} className={large ? "size-5.5" : "size-4.5"} />}
      {children}
    </button>
  );
}

/** A button that shows only an icon; `label` is its name for everyone who cannot see it, and its tooltip. */
export function IconButton({ label, icon, className, ...rest }: { label: string; icon: IconName } & ComponentProps<"button">) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={cx(
        "inline-flex size-10 items-center justify-center rounded-lg text-muted transition-colors hover:bg-raised hover:text-text",
        className,
      )}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
