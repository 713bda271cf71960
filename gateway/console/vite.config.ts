import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// Where `npm run dev` finds a running gateway. The browser sends Origin = the dev server's, so the proxy rewrites it
// to the gateway's own, which is what its check for cookie requests expects.
const gateway = process.env["QUANDURA_URL"] ?? "http://127.0.0.1:8080";
const proxy = { target: gateway, changeOrigin: true, headers: { origin: gateway }, ws: true };

// Beside each text file its compressed form: the gateway embeds both and compresses nothing while calls are on.
const compressed = (): Plugin => ({
  name: "compressed",
  apply: "build",
  writeBundle: ({ dir }) => {
    for (const name of readdirSync(dir ?? "dist", { recursive: true, encoding: "utf8" })) {
      const path = join(dir ?? "dist", name);
      if (/\.(js|css|html|svg)$/.test(name) && statSync(path).isFile()) writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
    }
  },
});

export default defineConfig({
  plugins: [react(), tailwindcss(), compressed()],
  // Every asset stays a file: the gateway's content policy allows no data: or blob: script, and a worklet is a script.
  build: { assetsInlineLimit: 0, target: "es2022", modulePreload: { polyfill: false } },
  worker: { format: "es" },
  server: { proxy: { "/v1": proxy, "/openapi.json": proxy, "/sign-in": proxy, "/sign-out": proxy } },
  test: { environment: "node", include: ["src/**/*.test.ts"] },
});
