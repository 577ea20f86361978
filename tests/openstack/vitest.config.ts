import { defineConfig } from "vitest/config"

const conditions = ["@pilothouse/source", "node", "import", "module", "default"]

// The suites that need the real cloud: one after the other, because it is one cloud on few processors.
export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["tests/openstack/suites/*.ts"],
    isolate: false,
    fileParallelism: false,
    // A row takes seconds, and the longest, 50 pods on trunks, a minute and a quarter: a machine that others use too takes some times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: "threads",
    execArgv: ["--conditions=@pilothouse/source"],
  },
})
