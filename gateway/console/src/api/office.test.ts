import { afterEach, expect, test } from "vitest";

import { chooseOffice, office, officeHeader, ofOffice } from "./office";

afterEach(() => chooseOffice(null));

test("what is asked of the gateway names the office that was chosen", () => {
  expect([office(), ofOffice("/a"), officeHeader()]).toEqual([null, "/a", {}]);
  chooseOffice("0197-t 2");
  expect(ofOffice("/a")).toBe("/a?tenant=0197-t%202");
  expect(ofOffice("/a?b=1")).toBe("/a?b=1&tenant=0197-t%202");
  expect(officeHeader()).toEqual({ "x-tenant": "0197-t 2" });
});
