import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { freePorts } from "../../tests/real/free-ports.ts"
import type { Row } from "../bench.ts"
import { withoutGoal } from "../beside.ts"
import { created, deployment, untilAvailable } from "./deployment.ts"
import { Embedded } from "./embedded.ts"
import { type BenchProgram, fromSources, installed, neverStarted } from "./program.ts"
import { startRealCluster } from "./real.ts"

const rounds = 5
const nodes = 3
/** Long enough for whatever comes after a start. */
const idleSeconds = 15
const web = deployment("web", 1)

interface Measured {
  readonly took: number
  readonly cpu: number
  readonly memory?: number
}

/** From the start of the process to a Deployment that is Ready, and what a cluster takes that has nothing to do after it. */
export async function firstDeployment(directory: string, peers: boolean): Promise<readonly Row[]> {
  const program = await installed()
  const first = await ours(neverStarted(program), mkdtempSync(join(directory, "first-")))
  const uncompiled = await ours(fromSources(mkdtempSync(join(directory, "cold-"))), mkdtempSync(join(directory, "sources-")))
  const data = mkdtempSync(join(directory, "warm-"))
  // Makes the certificates.
  await ours(program, data)
  const [mine, others]: [Measured[], Measured[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const isLast = round === rounds - 1
    mine.push(await ours(program, data, isLast))
    if (peers && (round === 0 || isLast)) others.push(await theirs(isLast))
  }
  const warm = min(mine)
  const real = peers ? min(others) : undefined
  return [
    {
      ...withoutGoal(`${start}, warm`, "ms", { ours: warm.took, theirs: real?.took }),
      goal: "≤ 700 ms",
      met: warm.took <= 700,
    },
    { what: `${start}, the very first time`, ours: first.took, unit: "ms", goal: "≤ 1200 ms", met: first.took <= 1200 },
    { what: `${start}, the very first time and from sources: npm ci --ignore-scripts`, ours: uncompiled.took, unit: "ms" },
    withoutGoal("CPU until then, warm", "ms", { ours: warm.cpu, theirs: real?.cpu }),
    { what: "CPU until then, the very first time", ours: first.cpu, unit: "ms" },
    idle(mine.at(-1)?.memory ?? 0, others.at(-1)?.memory),
  ]
}

const start = "from the start of the process to the first Ready Deployment"

function idle(ours: number, theirs: number | undefined): Row {
  const row = withoutGoal(`memory of an idle cluster with ${nodes} nodes`, "MB", { ours, theirs })
  return { ...row, goal: "≤ 120 MB", met: ours <= 120 }
}

async function ours(program: BenchProgram, directory: string, waits = false): Promise<Measured> {
  const [port = 0] = await freePorts(1)
  const started = performance.now()
  await using process = new Embedded({
    program,
    directory,
    port,
    kubeconfig: join(directory, `${port}.kubeconfig`),
    flags: [`--nodes=${nodes}`],
  })
  await using client = await process.client()
  await created(client, web)
  await untilAvailable(client, web)
  const took = performance.now() - started
  const cpu = process.cpu()
  if (!waits) return { took, cpu }
  await delay(idleSeconds * 1000)
  return { took, cpu, memory: process.memory() }
}

async function theirs(waits: boolean): Promise<Measured> {
  const started = performance.now()
  await using cluster = await startRealCluster(nodes)
  await created(cluster.client, web)
  await untilAvailable(cluster.client, web)
  const took = performance.now() - started
  const cpu = cluster.cpu()
  if (!waits) return { took, cpu }
  await delay(idleSeconds * 1000)
  return { took, cpu, memory: cluster.memory() }
}

function min(all: readonly Measured[]): Measured {
  return { took: Math.min(...all.map(({ took }) => took)), cpu: Math.min(...all.map(({ cpu }) => cpu)) }
}
