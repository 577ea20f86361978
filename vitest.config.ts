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
    // No test waits for time; a busy machine must not fail one. These only end what hangs: a test has a shorter limit only where that is what it says.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    pool: "threads",
    execArgv: ["--conditions=@pilothouse/source"],
    sequence: { shuffle: { files: false } },
  },
})
