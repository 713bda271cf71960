import { expect, it } from "vitest";

import type { Me } from "../api/types";
import { mayOpen } from "./permissions";
import { SCREENS } from "./route";

const who = (role: string): Me => ({ subject: "x", roles: [role], tenant: null, tenants: [], lines: [] });
const opens = (role: string): string => SCREENS.filter((screen) => mayOpen(who(role), screen)).join(" ");

it("shows a role what it may use and nothing else", () => {
  expect(opens("clerk")).toBe("calls work history overview knowledge account");
  expect(opens("supervisor")).toBe("calls work history overview knowledge phone words oversight account");
  expect(opens("auditor")).toBe("calls work history overview knowledge words oversight audit account");
  expect(opens("tenant-admin")).toBe(SCREENS.join(" "));
  expect(opens("platform-admin")).toBe(SCREENS.join(" "));
});
