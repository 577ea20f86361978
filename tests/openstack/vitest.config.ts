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
    // A row takes seconds to two minutes; a busy machine, on which Neutron takes ten times as long, must not fail one.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    pool: "threads",
    execArgv: ["--conditions=@pilothouse/source"],
  },
})
