// The discovery server in a process of its own, over a registry that is filled here; told what to do by its parent.
import { type Endpoint, Hub, type Service, StaticRegistry, serveXds } from "@pilothouse/discovery"
import { noMetrics } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"

export type Ask =
  | { readonly do: "fill"; readonly services: number; readonly endpoints: number }
  | { readonly do: "change" }
  /** Service 1 changes every so many milliseconds; 0 stops it. */
  | { readonly do: "neighbour"; readonly every: number }
  | { readonly do: "facts" }

export interface Facts {
  /** Microseconds. */
  readonly cpu: number
  /** Bytes. */
  readonly rss: number
  /** Of the last change, on the monotonic clock of the machine. */
  readonly changedAt: string
}

const registry = new StaticRegistry()
const hub = new Hub({ registry, clock: systemClock, metrics: noMetrics })
const served = await serveXds({ hub })
let changedAt = 0n
let turn = 0
let neighbour: NodeJS.Timeout | undefined

process.on("message", (ask: Ask) => {
  if (ask.do === "fill") for (let index = 0; index < ask.services; index++) fill(index, ask.endpoints)
  else if (ask.do === "change") change(0)
  else if (ask.do === "neighbour") {
    clearInterval(neighbour)
    if (ask.every > 0) neighbour = setInterval(() => registry.put({ ...service(1), labels: { turn: String(turn++) } }), ask.every)
  }
  process.send!(facts())
})
process.send!({ port: Number(served.address.split(":").at(-1)) })

function facts(): Facts {
  const { user, system } = process.cpuUsage()
  return { cpu: user + system, rss: process.memoryUsage.rss(), changedAt: String(changedAt) }
}

function service(index: number): Service {
  const name = `svc-${index}`
  return {
    hostname: `${name}.bench.svc.cluster.local`,
    name,
    namespace: "bench",
    addresses: { bench: [`10.96.${index >> 8}.${index & 255}`] },
    ports: [{ name: "http", port: 80, protocol: "HTTP" }],
    resolution: "client-side",
    labels: {},
    exportTo: ["*"],
    accounts: [],
    publishNotReady: false,
    nodeLocal: false,
    distribution: "any",
    created: 0,
  }
}

function fill(index: number, endpoints: number): void {
  registry.put(service(index))
  registry.putEndpoints(
    service(index).hostname,
    Array.from({ length: endpoints }, (_, pod) => endpointOf(index, pod)),
  )
}

/** About 93 bytes, as istiod sends them: two zones, health, weight, and the workload's metadata. */
function endpointOf(index: number, pod: number): Endpoint {
  return {
    addresses: [`10.${(index % 200) + 1}.${pod >> 8}.${pod & 255}`],
    port: 8080,
    portName: "http",
    health: "healthy",
    locality: { region: "region-1", zone: `zone-${pod % 2}`, subzone: "" },
    network: "",
    cluster: "Kubernetes",
    weight: 1,
    labels: { app: "bench" },
    identity: "spiffe://cluster.local/ns/bench/sa/default",
    namespace: "bench",
    pod: `svc-${index}-${pod}`,
    workload: `svc-${index}-${pod}`,
  }
}

/** One endpoint goes; the next change brings it back. */
function change(index: number): void {
  const { hostname } = service(index)
  const all = registry.endpoints(hostname)
  const next = turn++ % 2 === 0 ? all.slice(0, -1) : [...all, endpointOf(index, all.length)]
  changedAt = process.hrtime.bigint()
  registry.putEndpoints(hostname, next)
}
