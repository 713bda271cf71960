// Our own line icons: 24 units square, drawn with the text's colour, hidden from screen readers (the text beside them
// says it).

const PATHS = {
  brand: "M4 10.5v3M8 7.500v9M12 4.500v15M16 8v8M20 10.500v3",
  calls: "M4 6h16M4 12h16M4 18h10",
  work: "M9 4h6v3H9zM9 5.500H6V20h12V5.500h-3M9 12h6M9 16h4",
  phone: "M6.500 4h3l1.500 4-2 1.500a11 11 0 0 0 5.500 5.500l1.500-2 4 1.500v3a2 2 0 0 1-2.200 2A15.800 15.800 0 0 1 4.500 6.200 2 2 0 0 1 6.500 4z",
  words: "M4 5h16v11H9l-5 4zM8 9h8M8 12h5",
  hangup: "M3 14.500c5-5 13-5 18 0l-2 3-4-1.500v-3a10 10 0 0 0-6 0v3L5 17.500z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.500v2.200M12 19.300v2.200M2.500 12h2.200M19.300 12h2.200M5.300 5.300l1.500 1.500M17.200 17.200l1.500 1.500M5.300 18.700l1.500-1.500M17.200 6.800l1.500-1.500",
  moon: "M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z",
  keyboard: "M3 6.500h18v11H3zM7 10h.01M11 10h.01M15 10h.01M18 10h.01M8 14h8",
  exit: "M14 4h5v16h-5M4 12h11M11 8l4 4-4 4",
  back: "M15 5l-7 7 7 7",
  chevron: "M9 5l7 7-7 7",
  down: "M5 9l7 7 7-7",
  close: "M6 6l12 12M18 6L6 18",
  alert: "M12 4l9 16H3zM12 10v4.500M12 17.200v.3",
  microphone: "M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM5.500 11a6.500 6.500 0 0 0 13 0M12 17.500V21",
  muted: "M9 9v2a3 3 0 0 0 4.500 2.600M15 10.500V6a3 3 0 0 0-5.800-1M5.500 11a6.500 6.500 0 0 0 10 5.500M18.500 11a6.400 6.400 0 0 1-.8 3.200M12 17.500V21M4 4l16 16",
  file: "M6 3h8l4 4v14H6zM14 3v4h4M9.500 13v3M12 11.500v6M14.500 13v3",
  speaker: "M4 10v4h3l5 4V6L7 10zM15.500 9a4.500 4.500 0 0 1 0 6M18 6.500a8 8 0 0 1 0 11",
  tool: "M14.500 6.500a4 4 0 0 0-5.200 5.200L4 17l3 3 5.300-5.300a4 4 0 0 0 5.200-5.200L15 12l-3-3z",
  history: "M4 12a8 8 0 1 0 2.500-5.800M4 4v4h4M12 8v4.500l3 2",
  overview: "M4 20h16M7 16v-5M12 16V6M17 16v-8",
  knowledge: "M12 6.500C10 5 7 4.500 4 5v13c3-.5 6 0 8 1.500 2-1.500 5-2 8-1.500V5c-3-.5-6 0-8 1.500zM12 6.500V19.500",
  settings: "M4 7h9M17 7h3M4 12h3M11 12h9M4 17h9M17 17h3M13 5v4M7 10v4M13 15v4",
  audit: "M12 3.500l7 2.500v5.500c0 4.500-3 7.500-7 9-4-1.500-7-4.500-7-9V6zM9 12l2.200 2.200L15.500 10",
  account: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.500 20c.5-4 3.500-6 7.500-6s7 2 7.500 6",
  oversight: "M2.500 12c2.500-4.500 5.700-6.500 9.500-6.500s7 2 9.500 6.500c-2.500 4.500-5.700 6.500-9.500 6.500s-7-2-9.500-6.500zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  bell: "M6 16.500V11a6 6 0 0 1 12 0v5.500l1.500 2h-15zM10 21h4",
  bellOff: "M6 16.500V11a6 6 0 0 1 1.500-4M10 5.300A6 6 0 0 1 18 11v3.500M16.500 18.500h-12l1.500-2M10 21h4M4 4l16 16",
  pause: "M9 5v14M15 5v14",
  record: "M12 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12z",
  check: "M5 12.500l4.500 4.500L19 7.500",
  clock: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM12 7.500V12l3 2",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, className = "size-5" }: { name: IconName; className?: string }) {
  return (
    <svg
      className={`${className} shrink-0`}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
