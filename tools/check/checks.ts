export interface Check {
  readonly name: string
  /** For people. */
  readonly what: string
  /** What tools/run.js runs: an installed command or a TypeScript file, and its arguments. */
  readonly command: readonly string[]
}

/** The slowest first: they run at once, and there may be only two cores. */
export const checks: readonly Check[] = [
  { name: "unused", what: "unused files, exports and dependencies (knip)", command: ["knip", "--no-progress"] },
  { name: "types", what: "types (tsc)", command: ["tsc", "-p", "."] },
  { name: "regex", what: "regular expressions that are not proven linear (recheck)", command: ["tools/check/regex/main.ts"] },
  { name: "house", what: "the project's own rules (tools/check/house)", command: ["tools/check/house/main.ts"] },
  {
    name: "format",
    what: "format, order of imports, promises that are not awaited (biome); npm run fix",
    command: ["biome", "check", "--error-on-warnings", "--max-diagnostics=50", "."],
  },
  { name: "lint", what: "mistakes and sizes (oxlint)", command: ["oxlint", "--deny-warnings", "--format=unix"] },
]
