// What it costs to know which manager owns which field.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { patchContentTypes } from "@pilothouse/api/patch"
import { createApiServer, memoryStorage } from "@pilothouse/apiserver"
import { type Transport, valueBody } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import type { Row } from "../bench.ts"
import { atMost } from "../beside.ts"
import { inTurn, medians, type Pair, sidesIn } from "./pair.ts"
import { pod } from "./pods.ts"

const deployments = "/apis/apps/v1/namespaces/default/deployments"
const pods = "/api/v1/namespaces/default/pods"
/** Microseconds of CPU for an apply that changes nothing. */
const applyGoal = 100
const perRound = 2000
const rounds = 6
const heapPods = 10_000

const template = {
  metadata: { labels: { app: "web" } },
  spec: {
    containers: [
      {
        name: "web",
        image: "web:1",
        ports: [{ containerPort: 80 }],
        env: [{ name: "A", value: "1" }],
        resources: { requests: { cpu: "100m" } },
      },
      { name: "log", image: "log:1" },
    ],
  },
}
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template },
}

/** How long do an apply that changes nothing and a patch of a pod's status take without a socket, and how much do pods take in memory? */
export async function ownershipInProcess(): Promise<readonly Row[]> {
  const server = createApiServer({
    clock: systemClock,
    random: systemRandom(),
    storage: memoryStorage(),
    admission: { disable: ["ServiceAccount"] },
  })
  const transport = server.transport()
  const before = heapMegabytes()
  for (let number = 0; number < heapPods; number++) await send(transport, "POST", pods, pod(number))
  const heap = heapMegabytes() - before
  const apply = await cpuOfOne(() => send(transport, "PATCH", `${deployments}/web`, deployment, patchContentTypes.apply))
  const status = await cpuOfOne((number, round) =>
    send(transport, "PATCH", `${pods}/pod-${number}/status`, statusPatch(round), patchContentTypes.strategic),
  )
  await server.close()
  const what = "CPU for an apply of an unchanged Deployment, in process"
  return [
    { what, ours: apply, unit: "µs", goal: `≤ ${applyGoal}`, met: apply <= applyGoal },
    { what: "CPU for a patch of a pod's status, in process", ours: status, unit: "µs" },
    { what: `heap of ${heapPods.toLocaleString("en")} pods with their managedFields, in process`, ours: heap, unit: "MB" },
  ]
}

/** The least of some rounds: what else the machine does makes every one longer. */
async function cpuOfOne(work: (number: number, round: number) => Promise<void>): Promise<number> {
  let min = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const started = process.cpuUsage()
    for (let number = 0; number < perRound; number++) await work(number, round)
    const { user, system } = process.cpuUsage(started)
    min = Math.min(min, (user + system) / perRound)
  }
  return min
}

async function send(transport: Transport, verb: "POST" | "PATCH", path: string, body: object, contentType?: string): Promise<void> {
  const headers: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType }
  const { status } = await transport({ verb, path, query: { fieldManager: "bench" }, headers, body: valueBody(body) })
  if (status > 201) throw new Error(`${verb} ${path}: expected success, found ${status}`)
}

function statusPatch(round: number): object {
  const isReady = round % 2 === 0
  const condition = { type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: "2026-01-01T00:00:00Z" }
  return { status: { phase: isReady ? "Running" : "Pending", podIP: `10.0.0.${round}`, conditions: [condition] } }
}

function heapMegabytes(): number {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

/** How long does an apply that changes nothing take, from the request to its last byte? */
export async function unchangedApply(pair: Pair): Promise<readonly Row[]> {
  const request = { verb: "PATCH", path: `${deployments}/web?fieldManager=bench`, body: deployment, contentType: patchContentTypes.apply }
  for (const side of sidesIn(pair)) await pair[side]!.client.expect(201, request)
  const time = async (side: keyof Pair) => {
    const started = performance.now()
    for (let count = 0; count < 100; count++) await pair[side]!.client.expect(200, request)
    return (performance.now() - started) / 100
  }
  return [atMost(0.3, "apply of an unchanged Deployment", "ms", medians(await inTurn(sidesIn(pair), 10, time)))]
}
