// Where to open the voice socket.

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * The gateway names the address by which the outside reaches it. When both that and the page are this very machine
 * under two of its names, the page's own name is used: the browser counts them as different sites.
 */
export function streamUrl(given: string, page: { hostname: string; host: string; protocol: string }): string {
  const url = new URL(given);
  if (LOOPBACK.has(url.hostname) && LOOPBACK.has(page.hostname)) url.host = page.host;
  return url.href;
}
