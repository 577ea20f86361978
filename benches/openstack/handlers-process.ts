// Our handlers as a process of their own, which can be weighed and killed; handlers-bundle.ts makes it: node handlers-process.mjs <settings as JSON>.
import { kuryr, kuryrConfiguration, openStack } from "@pilothouse/openstack"
import { createManager, defaultTransport, retrying, transportTo } from "@pilothouse/runtime"
import { silentLog, type Transport } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import type { Counted, Settings } from "./handlers.ts"

const { kubeconfig, access, sections } = JSON.parse(process.argv[2] ?? "{}") as Settings
const seams = { clock: systemClock, random: systemRandom() }
const counts: Counted = { api: {}, cloud: {} }
const server = await defaultTransport({ kubeconfig, clock: systemClock })
const cloud = openStack({ access, clock: systemClock, connect: (url) => counted(counts.cloud, lazily(url)) })
const made = kuryr({ ...seams, cloud, configuration: kuryrConfiguration(sections), cluster: "bench", select: { namespaces: "served=yes" } })
const transport = retrying(counted(counts.api, server.transport), seams)
const manager = createManager({ ...seams, controllers: made.controllers, transport, log: silentLog, grace: 300 })
const stopping = new AbortController()
const running = manager.run(stopping.signal)
process.on("message", () => process.send?.(counts))
process.once("disconnect", () => stopping.abort())
process.once("SIGTERM", () => stopping.abort())
process.send?.(counts)
await running
process.exit(0)

function lazily(url: string): Transport {
  const opened = transportTo({ server: url, clock: systemClock })
  return async (request) => (await opened).transport(request)
}

/** By verb and the first words of the path: "POST /v2/lbaas/loadbalancers", "PATCH pods". */
function counted(into: Record<string, number>, transport: Transport): Transport {
  return (request) => {
    const words = request.path.split("?")[0]?.split("/") ?? []
    const isWatch = String(request.query?.watch) === "true"
    const key = `${isWatch ? "WATCH" : request.verb} ${words.filter((word) => !/[0-9]/.test(word) || /^v[0-9.]+$/.test(word)).join("/")}`
    into[key] = (into[key] ?? 0) + 1
    return transport(request)
  }
}
