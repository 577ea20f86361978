// npm run bench -- scheduler: what does it cost to bring 10,000 pods onto 500 nodes?
import { type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { createApiServer, memoryStorage } from "@pilothouse/apiserver"
import { scheduler } from "@pilothouse/nodes"
import { type Client, createClient, createManager } from "@pilothouse/runtime"
import type { Transport } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import type { Bench, Row } from "./bench.ts"

const nodeCount = 500
const podCount = 10_000
/** Seconds of CPU, with the API server and its watches in the same process. */
const goal = 10
/** The first one runs code that is still cold. */
const runs = 2

type Shape = (at: number) => Pick<NonNullable<Pod["spec"]>, "affinity" | "topologySpreadConstraints">

const app = (at: number) => `app-${at % 100}`

const shapes: readonly { readonly what: string; readonly shape: Shape; readonly goal?: number }[] = [
  { what: "plain pods", shape: () => ({}), goal },
  {
    what: "pods of 100 apps, spread over 10 zones (maxSkew 1)",
    shape: (at) => ({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "topology.kubernetes.io/zone",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: { app: app(at) } },
        },
      ],
    }),
  },
  {
    what: "pods of 100 apps, no two of one app on a node",
    shape: (at) => ({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: app(at) } } },
          ],
        },
      },
    }),
  },
]

export const questions: readonly Bench[] = shapes.map((shape) => ({
  name: `${podCount} ${shape.what} onto ${nodeCount} nodes`,
  run: () => run(shape),
}))

async function run({ what, shape, goal: limit }: (typeof shapes)[number]): Promise<readonly Row[]> {
  const found: number[] = []
  for (let at = 0; at < runs; at++) found.push(await once(shape))
  const seconds = Math.min(...found)
  const row: Row = { what: `${podCount} ${what} onto ${nodeCount} nodes, least of ${runs} runs`, ours: seconds, unit: "s of CPU" }
  return [limit === undefined ? row : { ...row, goal: `≤ ${limit}`, met: seconds <= limit }]
}

async function once(shape: Shape): Promise<number> {
  const server = createApiServer({ clock: systemClock, random: systemRandom(), storage: memoryStorage() })
  const client = createClient(server.transport(), { userAgent: "bench" })
  for (let at = 0; at < nodeCount; at++) await client.create(nodes, node(at))
  for (let at = 0; at < podCount; at++) await client.create(pods, pod(at, shape))
  const seconds = await secondsOfCpu(server.transport())
  await checkAllBound(client)
  await server.close()
  return seconds
}

/** From the start of the scheduler to the last binding. */
async function secondsOfCpu(transport: Transport): Promise<number> {
  const bound = Promise.withResolvers<void>()
  let left = podCount
  const counting: Transport = async (request) => {
    const response = await transport(request)
    if (request.path.endsWith("/binding") && response.status === 201 && --left === 0) bound.resolve()
    return response
  }
  const before = process.cpuUsage()
  const stop = new AbortController()
  const manager = createManager({ controllers: [scheduler()], transport: counting, clock: systemClock, random: systemRandom() })
  const running = manager.run(stop.signal)
  await bound.promise
  const { user, system } = process.cpuUsage(before)
  stop.abort()
  await running
  return (user + system) / 1e6
}

async function checkAllBound(client: Client): Promise<void> {
  let unbound = 0
  for await (const { spec } of client.listAll(pods)) if (!spec?.nodeName) unbound++
  if (unbound > 0) throw new Error(`expected every pod to have a node, found ${unbound} without`)
}

function node(at: number): Node {
  const name = `node-${at}`
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": `zone-${at % 10}` } },
    status: { allocatable: { cpu: "32", memory: "128Gi", pods: "110" } },
  }
}

function pod(at: number, shape: Shape): Pod {
  const resources = { requests: { cpu: "100m", memory: `${64 + (at % 7) * 32}Mi` } }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${at}`, namespace: "default", labels: { app: app(at) } },
    spec: { containers: [{ name: "a", image: "a", resources }], ...shape(at) },
  }
}
