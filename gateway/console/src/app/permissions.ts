// What each role may open: nothing is shown that the gateway would refuse.

import type { Me } from "../api/types";
import type { Screen } from "./route";

/** Screens that are not for everybody, as the gateway's permissions are. */
const ONLY: Partial<Record<Screen, readonly string[]>> = {
  phone: ["supervisor", "agent-admin", "tenant-admin", "platform-admin"],
  words: ["supervisor", "agent-admin", "tenant-admin", "auditor", "platform-admin"],
  oversight: ["supervisor", "agent-admin", "tenant-admin", "auditor", "platform-admin"],
  settings: ["tenant-admin", "platform-admin"],
  audit: ["tenant-admin", "auditor", "platform-admin"],
};

export const mayOpen = (me: Me, screen: Screen): boolean => {
  const roles = ONLY[screen];
  return roles === undefined || me.roles.some((role) => roles.includes(role));
};

const ACT: readonly string[] = ["supervisor", "tenant-admin", "platform-admin"];
/** Hang up, whisper, take over. */
export const actsOnCalls = (me: Me): boolean => me.roles.some((role) => ACT.includes(role));

const RANK: readonly string[] = ["supervisor", "tenant-admin", "platform-admin"];
/** Takes a live call from somebody of this role without asking. Of a role that is not known nobody does. */
export const outranks = (me: Me, role: string): boolean => RANK.includes(role) && me.roles.some((mine) => RANK.indexOf(mine) > RANK.indexOf(role));

/** Users and tokens of the tenant. */
export const managesTenant = (me: Me): boolean => mayOpen(me, "settings");

/** Make another office, and add and remove who else may. */
export const runsPlatform = (me: Me): boolean => me.roles.includes("platform-admin");

/** Records and levels of the agents: whoever reads the audit reads them. */
export const readsAutonomy = (me: Me): boolean => mayOpen(me, "audit");

const WORK: readonly string[] = ["clerk", "supervisor", "tenant-admin", "platform-admin"];
/** Work on requests, and say of a call whether the line was right. */
export const worksOnRequests = (me: Me): boolean => me.roles.some((role) => WORK.includes(role));

const TEAMS: readonly string[] = ["agent-admin", "tenant-admin", "platform-admin"];
/** Change the teams; whoever may try words reads them. */
export const changesTeams = (me: Me): boolean => me.roles.some((role) => TEAMS.includes(role));
