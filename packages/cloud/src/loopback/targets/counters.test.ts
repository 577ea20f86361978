import { readFileSync } from "node:fs"
import { join } from "node:path"
import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { createCloudControllers } from "../../cloud-controllers.ts"
import { MemoryCloud } from "../../memory/memory-cloud.ts"
import { memoryProvider } from "../../memory/provider.ts"
import { loopbackCounters } from "./counters.ts"

test("docs/reference/load-balancers.md has exactly the metrics of the balancer and of the controllers, with their type and meaning", () => {
  const document = readFileSync(join(import.meta.dirname, "../../../../../docs/reference/load-balancers.md"), "utf8")
  const rows = [...document.matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \| [\w, ]* \| (.*) \|$/gm)].map(
    ([, name, type, meaning]) => `${name} ${type} ${meaning}`,
  )
  const metrics = memoryMetrics()
  const { hold: _hold, ...counters } = loopbackCounters(metrics)
  for (const metric of Object.values(counters)) metric.add(1)
  const clock = new VirtualClock()
  const cloud = new MemoryCloud({ clock })
  const settings = { "allocate-node-cidrs": "true", "cluster-cidr": "10.244.0.0/16" }
  createCloudControllers({ provider: (clusterName) => memoryProvider({ cloud, clusterName }), clock, metrics, settings })
  const told = [...metrics.text().matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name, meaning, type]) => `${name} ${type} ${meaning}`,
  )
  expect(rows.sort()).toEqual(told.sort())
})

test("the series of a Service end with the last balancer or port that counts for it", () => {
  const metrics = memoryMetrics()
  const counters = loopbackCounters(metrics)
  const holds = [counters.hold("default/web"), counters.hold("default/web")]
  using _other = counters.hold("default/other")
  for (const service of ["default/web", "default/other"]) {
    counters.connections.add(1, { service })
    counters.bytes.add(9, { service, direction: "in" })
  }
  holds[0]?.[Symbol.dispose]()
  holds[0]?.[Symbol.dispose]()
  expect(metrics.value("pilothouse_loopback_connections_total", { service: "default/web" })).toBe(1)
  holds[1]?.[Symbol.dispose]()
  const left = [...metrics.text().matchAll(/^(\w+\{.*\}) /gm)].map(([, series]) => series)
  expect(left).toEqual([
    'pilothouse_loopback_connections_total{service="default/other"}',
    'pilothouse_loopback_bytes_total{direction="in",service="default/other"}',
  ])
})
