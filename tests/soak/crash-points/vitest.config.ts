import { join, sep } from "node:path"
import { mergeConfig } from "vitest/config"
import usual from "../../../vitest.config.ts"

const everyPoint = join(import.meta.dirname, "every-point.ts")
const tests = `${sep}packages${sep}`

/** The tests of the packages as they are, but with crashPoints of every-point.ts. */
export default mergeConfig(usual, {
  plugins: [
    {
      name: "every-crash-point",
      enforce: "pre" as const,
      resolveId: (source: string, importer: string | undefined) =>
        source === "@pilothouse/testing" && importer?.includes(tests) ? everyPoint : undefined,
    },
  ],
  test: { testTimeout: 24 * 60 * 60 * 1000 },
})
