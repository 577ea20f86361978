import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { StaticRegistry } from "../registry/static-registry.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testService } from "../testing/samples.ts"
import { Hub } from "./hub.ts"

const cluster = "outbound|8080||web.shop.svc.cluster.local"
const million = 1024 * 1024

test("of a refusal of 4 MiB its first characters are kept, and not the rest behind them", () => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  // Long texts are kept beside the heap.
  const inUse = () => {
    // The second time frees what the first has released beside the heap.
    collect()
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const registry = new StaticRegistry()
  registry.put(testService("web"))
  const hub = new Hub({ registry, clock: new VirtualClock(), metrics: memoryMetrics() })
  const clients = Array.from({ length: 20 }, () => new RawClient(hub))
  for (const client of clients) client.ask("endpoint", [cluster])
  const before = inUse()
  for (const client of clients) {
    client.ask("endpoint", [cluster], { nonce: client.received[0]!.nonce, error: "x".repeat(3.9 * million) })
  }
  const grown = inUse() - before
  for (const session of hub.sessions) expect(session.watches.endpoint.nackText).toBe("x".repeat(4_096))
  expect(grown).toBeLessThan(20 * million)
})
