import { defineConfig } from "vitest/config"

const conditions = ["@pilothouse/source", "node", "import", "module", "default"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "examples/**/*.test.ts", "tools/**/*.test.ts", "tests/**/*.test.ts"],
    // No isolation: one module graph per worker. A check forbids module state, so tests cannot meet through it.
    isolate: false,
    setupFiles: ["tests/property-seed.ts"],
    // No test waits for time; a busy machine must not fail one.
    testTimeout: 60_000,
    pool: "threads",
    execArgv: ["--conditions=@pilothouse/source"],
    sequence: { shuffle: { files: false } },
  },
})
