// npm run bench -- testing: how long a test file waits for its cluster, in a process that has never made one.
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Bench, BenchOptions, Row } from "./bench.ts"
import type { FirstCluster } from "./testing/first-cluster.ts"

/** New processes; the middle one counts. */
const rounds = 9
/** Milliseconds. */
const goal = 50

const root = fileURLToPath(new URL("..", import.meta.url))
const program = fileURLToPath(new URL("testing/first-cluster.ts", import.meta.url))
const cases = [
  { controllers: "all controllers", options: {} },
  { controllers: "the controllers of Deployments", options: { controllers: ["deployment", "replicaset"] } },
] as const

export const questions: readonly Bench[] = [
  { name: "how long a cluster takes in a new process, as installed", run: asInstalled },
  {
    name: "how long a cluster takes in a new process, from sources",
    run: async () => measure("from sources", ["--conditions=@pilothouse/source"]),
  },
]

/** Builds what would be published first: what lies in dist may be of another day. */
async function asInstalled({ prepared }: BenchOptions): Promise<readonly Row[]> {
  if (!prepared) await prepare()
  return measure("as installed", [])
}

export async function prepare(): Promise<void> {
  execFileSync(process.execPath, ["tools/run.js", "tools/build/main.ts"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
}

function measure(from: string, flags: readonly string[]): readonly Row[] {
  return cases.flatMap(({ controllers, options }) => {
    const runs = Array.from({ length: rounds }, () => firstCluster(flags, options))
    const row = (what: string, time: (run: FirstCluster) => number): Row => ({
      what: `${what}, ${controllers}, ${from}`,
      ours: middle(runs.map(time)),
      unit: "ms",
    })
    const made = row("await cluster() after import, first of a process", ({ made }) => made)
    return [
      row("import of @pilothouse/testing", ({ imported }) => imported),
      { ...made, goal: `≤ ${goal}`, met: made.ours <= goal },
      row("… and all controllers have started", ({ settled }) => settled),
      row("… and a Deployment of three is ready", ({ ready }) => ready),
      row("await cluster(), second of a process", ({ second }) => second.made),
      row("… and all controllers have started, second", ({ second }) => second.settled),
      row("… and a Deployment of three is ready, second", ({ second }) => second.ready),
    ]
  })
}

function firstCluster(flags: readonly string[], options: object): FirstCluster {
  const args = [...flags, "--disable-warning=ExperimentalWarning", program, JSON.stringify(options)]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }))
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!
}
