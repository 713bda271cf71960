import { describe, expect, it } from "vitest";

import type { LedgerEntry, Passport } from "../api/types";
import { asked, broke, filed, open, promised, statusName, sure, told, who } from "./passport";

const entry = (action: string, inputs_summary: string, outputs_summary: string, more: Partial<LedgerEntry> = {}): LedgerEntry => ({ action, inputs_summary, outputs_summary, ...more });
const turn = (heard: string, did: string, more: Partial<LedgerEntry> = {}): LedgerEntry => entry("turn", heard, did, more);

describe("an act in plain words", () => {
  it("names what was filed, with its reference", () => {
    expect(told(turn("incident", "filed; INC-4821"))).toEqual({ what: "Filed the report", detail: "", references: ["INC-4821"] });
  });

  it("names the page that an answer rests on", () => {
    expect(told(turn("question", "answered; source hours.md"))).toEqual({ what: "Answered the question", detail: "From hours.md", references: [] });
  });

  it("names a slot as a person would", () => {
    expect(told(turn("claim_number", "asked again")).what).toBe("Asked again about: claim number");
    expect(told(turn("nothing", "asked again")).what).toBe("Did not understand, and asked again");
  });

  it("names the language model below, and what was mended", () => {
    const act = told(turn("speech", "answered by small-model; a sentence that a page contradicts was replaced by the page's"));
    expect(act.what).toBe("Answered the caller");
    expect(act.detail).toContain("small-model");
    expect(act.detail).toContain("contradicts");
  });

  it("keeps a saying with a semicolon whole", () => {
    expect(told(turn("end of call after 3 caller turns", "closed; handed to the back office")).what).toBe("The call ended; the rest went to the back office");
  });

  it("tells routing, work, review and a call that was cut off", () => {
    expect(told(entry("route", "claims", "claims at 0.83")).what).toBe("Went to the claims team");
    expect(told(entry("route", "claims", "claims at 0.83")).detail).toBe("83% sure that it belongs there");
    expect(told(entry("route", "", "to a person; nearest none")).what).toBe("Went to a person");
    expect(told(entry("conclude", "2 parts", "blocked")).what).toBe("Came to an end: waits for the caller");
    const handedOn = told(entry("conclude", "5 parts", "escalated; ESC-1573"));
    expect([handedOn.what, handedOn.references]).toEqual(["Came to an end: waits for a person", ["ESC-1573"]]);
    expect(told(entry("after_action_review", "", "did not succeed; effectiveness 0.20")).what).toBe("Looked back: it did not go well");
    expect(told(entry("after_action_review", "", "nobody has decided yet; effectiveness 0.50")).what).toBe("Looked back: nobody has decided whether it went well");
    expect(told(entry("people_decided", "", "succeeded; effectiveness 1.00")).what).toBe("People decided: it went well");
    expect(told(entry("after_action_review", "", "succeeded; effectiveness 1.00", { notes: '{"why":["each step did what it was to do"]}' })).detail).toBe("Each step did what it was to do");
    expect(told(entry("interrupted", "", "closed")).what).toContain("broke off");
    expect(told(entry("something_new", "", "made of it")).what).toBe("Something new");
  });

  it("says who it was", () => {
    expect(who("front_desk/incident_intake")).toBe("Front desk, incident intake");
    expect(who("person/supervisor")).toBe("A supervisor");
    expect(who("gateway")).toBe("The gateway");
    expect(who(undefined)).toBe("Unknown");
  });
});

describe("the whole", () => {
  const passport: Passport = {
    status: "escalated",
    mission: { objective: "Help the caller", sub_tasks: ["INC-4821", "look it up", "INC-4821"] },
    routing: { escalation_required: true, escalation_reason: "emergency: fire" },
    current_agent: "back_office",
    overall_confidence: { value: 0.82, evidence_count: 3, evidence_quality: 0.9, historical_accuracy: 0.7, calibration_samples: 12, failure_modes: ["wrong_street"] },
    missing_fields: ["where"],
    ledger: [turn("incident", "started"), turn("where", "noted"), turn("incident", "filed; INC-4821", { tool_calls: ["file_report"] }), turn("question", "answered")],
  };

  it("tells what was asked, each thing once", () => {
    expect(asked(passport)).toEqual(["To report a problem", "A question"]);
  });

  it("tells that office hours were asked for, and of all else that is answered without a page", () => {
    const ledger = ["office", "clock", "thanks", "goodbye"].map((heard) => turn(heard, "answered"));
    expect(asked({ ledger })).toEqual(["The office's hours, address or number", "The day or the time"]);
    expect(told(turn("office", "answered")).what).toBe("Answered about office");
  });

  it("tells what was filed and promised", () => {
    expect(filed(passport)).toEqual(["INC-4821"]);
    expect(promised(passport)).toEqual(["The report is looked into"]);
  });

  it("tells what is open, and with whom", () => {
    expect(open(passport)).toEqual(["A person must look: Emergency: fire", "Not told yet: where", "Back office has it now"]);
    expect(open({ status: "completed", current_agent: null, ledger: [] })).toEqual([]);
  });

  it("tells how sure and why, and admits that nobody has judged", () => {
    expect(sure(passport).value).toBe(0.82);
    expect(sure(passport).reasons).toEqual(["3 pieces of evidence", "Evidence weighs 90%", "Right 70% of the time in 12 earlier cases", "May fail by: wrong street"]);
    expect(sure({}).value).toBeNull();
  });

  it("takes a call that broke off for no success", () => {
    const cut: Passport = { status: "in_progress", ledger: [entry("interrupted", "", "closed; handed to the back office")] };
    expect(broke(cut)).toBe(true);
    expect(open(cut)[0]).toBe("The call broke off before it was finished");
    expect(statusName("in_progress")).toBe("In progress");
  });

  it("reads a document that has none of it", () => {
    expect([asked({}), filed({}), promised({}), open({})]).toEqual([[], [], [], []]);
  });
});
