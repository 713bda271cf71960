import type { Me } from "../../api/types";

const WRITES: readonly string[] = ["agent-admin", "tenant-admin", "platform-admin"];

/** Whether somebody may change what the line answers from. */
export const writesPages = (me: Me): boolean => me.roles.some((role) => WRITES.includes(role));
