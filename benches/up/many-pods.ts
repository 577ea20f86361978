import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { isConditionTrue, parseMicroTime } from "@pilothouse/api"
import { deployments as deploymentResource } from "@pilothouse/api/apps/v1"
import { leases } from "@pilothouse/api/coordination/v1"
import { nodes as nodeResource } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { systemClock } from "@pilothouse/seams/system"
import { freePorts } from "../../tests/real/free-ports.ts"
import type { Row } from "../bench.ts"
import { created, deployment } from "./deployment.ts"
import { Embedded } from "./embedded.ts"
import { installed } from "./program.ts"

const nodes = 1000
const pods = 20_000
const deployments = 20
/** A kubelet renews its Lease every 10 s; the controller manager gives a node up after 50. */
const renewSeconds = 10
const watchedSeconds = 60
/** A machine that cannot do it says how far it came. */
const patienceSeconds = 240

/** Whether the kubelets of a thousand nodes keep up while they run twenty thousand pods, all in one process. */
export async function manyPods(directory: string): Promise<readonly Row[]> {
  const data = mkdtempSync(join(directory, "many-"))
  const [port = 0] = await freePorts(1)
  const kubeconfig = join(data, "kubeconfig")
  const program = await installed()
  await using process = new Embedded({ program, directory: data, port, kubeconfig, flags: [`--nodes=${nodes}`] })
  await using client = await process.client()
  const watch = new LeaseWatch(client)
  const started = performance.now()
  const wanted = Array.from({ length: deployments }, (_, index) => deployment(`web-${index}`, pods / deployments))
  for (const one of wanted) await created(client, one)
  const loading = untilAllAvailable(client, patienceSeconds)
  const worstLoading = await watch.until(loading)
  const ready = await loading
  const took = (performance.now() - started) / 1000
  const worstAfter = await watch.until(delay(watchedSeconds * 1000))
  const limit = 2 * renewSeconds
  return [
    {
      what: `pods Ready on ${nodes} nodes in one process`,
      ours: ready,
      unit: "pods",
      better: "higher",
      goal: `${pods}`,
      met: ready === pods,
    },
    { what: "until then", ours: took, unit: "s" },
    { what: "oldest node Lease while they start", ours: worstLoading, unit: "s", goal: `≤ ${limit} s`, met: worstLoading <= limit },
    {
      what: `oldest node Lease in the ${watchedSeconds} s after`,
      ours: worstAfter,
      unit: "s",
      goal: `≤ ${limit} s`,
      met: worstAfter <= limit,
    },
    { what: "most nodes that were not Ready at once", ours: watch.lost, unit: "nodes", goal: "0", met: watch.lost === 0 },
    { what: "memory with all of them", ours: process.memory(), unit: "MB" },
  ]
}

/** How many pods are Ready when all are, or when the time is over. */
async function untilAllAvailable(client: Client, seconds: number): Promise<number> {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const { items } = await client.list(deploymentResource, { namespace: "default" })
    const ready = items.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0)
    if (ready === pods || performance.now() > deadline) return ready
    await delay(1000)
  }
}

/** Looks at the Leases of all nodes every few seconds. */
class LeaseWatch {
  /** The most nodes that were not Ready at once. */
  lost = 0
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /** The age in seconds of the oldest Lease that was seen until the work ended. */
  async until(work: Promise<unknown>): Promise<number> {
    let worst = 0
    const over = work.then(() => true)
    do worst = Math.max(worst, await this.#oldest())
    while (!(await Promise.race([over, delay(3000, false)])))
    return worst
  }

  async #oldest(): Promise<number> {
    const { items } = await this.#client.list(leases, { namespace: "kube-node-lease" })
    const found = await this.#client.list(nodeResource)
    this.lost = Math.max(this.lost, found.items.filter(({ status }) => !isConditionTrue(status?.conditions, "Ready")).length)
    const ages = items.flatMap(({ spec }) =>
      spec?.renewTime === undefined ? [] : (systemClock.now() - parseMicroTime(spec.renewTime)) / 1000,
    )
    return Math.max(0, ...ages)
  }
}
