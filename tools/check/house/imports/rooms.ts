/**
 * Who may import whom: the table of ARCHITECTURE.md, by folder under packages/.
 * Nothing is transitive. A package's tests may also import `testing`. `cli` wires everything together.
 */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  seams: [],
  api: ["seams"],
  runtime: ["seams", "api"],
  cel: ["api"],
  apiserver: ["seams", "api", "cel"],
  controllers: ["seams", "api", "cel", "runtime"],
  nodes: ["seams", "api", "cel", "runtime"],
  cloud: ["seams", "api", "runtime"],
  discovery: ["seams", "api", "runtime"],
  openstack: ["seams", "api", "runtime", "cloud"],
  testing: ["seams", "api", "cel", "runtime", "apiserver", "controllers", "nodes", "cloud"],
  simulation: ["seams", "api", "runtime", "apiserver", "controllers", "nodes", "cloud"],
  dashboard: ["api"],
  cli: [
    "seams",
    "api",
    "cel",
    "runtime",
    "apiserver",
    "controllers",
    "nodes",
    "cloud",
    "openstack",
    "discovery",
    "testing",
    "simulation",
    "dashboard",
  ],
}

/** Rooms whose sources use no Node API, so that a web page can load them; seams/src/system is the one folder that does. */
export const pureRooms: readonly string[] = ["seams", "api", "cel"]

/** Who may have the system's clock, files and randomness besides tests, tools, benches and examples: who wires things together. */
export const systemUsers: readonly string[] = ["cli", "testing"]

/** Files outside those rooms that may, and why. */
export const systemFiles: Readonly<Record<string, string>> = {
  "packages/runtime/src/defaults.ts": "fills the seams in for a user's program, lazily (docs/adr/0004-one-file-of-defaults-in-runtime.md)",
}

/** Files that reach over a package's border by a relative path, and why. */
export const borderCrossings: Readonly<Record<string, string>> = {
  "tools/run.js": "plain JavaScript that finds a Node before anything can be resolved, with the launcher's own code",
  "tools/prepare.js": "the same, while npm installs",
  "tools/bundle/main.ts": "writes the bundle where the launcher looks for it",
  "tools/bundle/renew-bundle.test.ts": "asks the launcher what it finds",
  "benches/up/program.ts": "starts what the launcher would start",
  "benches/discovery/cluster.ts": "starts what the launcher would start",
  "tests/soak/attack/server.ts": "starts what the launcher would start, and signals it without the launcher between",
}
