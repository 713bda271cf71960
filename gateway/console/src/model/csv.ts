// Tables for spreadsheets. Pure.

import type { CallItem } from "../api/types";
import { endReason, languageName } from "./format";

/** A cell. What a spreadsheet would run as a formula is made text; a plain number, also of a telephone, is left as it is. */
function cell(value: string): string {
  const safe = /^[=@\t\r]/.test(value) || (/^[+-]/.test(value) && !/^[+-]\d[\d.]*$/.test(value)) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csv = (rows: readonly (readonly string[])[]): string => rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";

const HEADINGS = ["Call", "Started", "Ended", "Seconds", "Line", "Language", "How it ended", "Turns", "Cost in US dollars", "Attention"];

/** Past calls as a table, without any personal data. */
export function callsCsv(calls: readonly CallItem[]): string {
  const rows = calls.map((call) => [
    call.id,
    call.started_at,
    call.ended_at ?? "",
    call.ended_at ? String(Math.round((Date.parse(call.ended_at) - Date.parse(call.started_at)) / 1000)) : "",
    call.line,
    languageName(call.language),
    call.state === "live" ? "On the line" : endReason(call.end_reason),
    String(call.turns),
    String(call.cost_usd),
    call.attention,
  ]);
  return csv([HEADINGS, ...rows]);
}
