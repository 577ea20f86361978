import type { ServicePort } from "@pilothouse/api/core/v1"
import { systemClock } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { contractService } from "../../contract/index.ts"
import { LoopbackCloud } from "../loopback-cloud.ts"
import { NodePorts } from "../node-ports.ts"
import { loopbackProvider } from "../provider.ts"
import { ListenerBudget } from "./listener-budget.ts"

const { signal } = new AbortController()

function service(name: string, count: number) {
  const base = contractService()
  const ports = Array.from({ length: count }, (_, at): ServicePort => ({ name: `p${at}`, port: 17_400 + at, protocol: "TCP" }))
  return { ...base, metadata: { ...base.metadata, name, uid: `uid-${name}` }, spec: { ...base.spec, ports } }
}

test("a Service of 2,000 ports has 256 listeners, and a warning for the others", async () => {
  await using cloud = new LoopbackCloud({ clock: systemClock })
  const balancers = loopbackProvider({ cloud }).loadBalancers!
  const { notices = [] } = await balancers.ensure(service("many", 2000), [], signal)
  expect(notices.find(({ reason }) => reason === "TooManyPorts")).toEqual({
    type: "Warning",
    reason: "TooManyPorts",
    message:
      "expected at most 256 listeners of one Service, found more: 1744 ports have none; remove ports or Services of type LoadBalancer",
  })
})

test("Services share the listeners, and get those that another releases", async () => {
  await using cloud = new LoopbackCloud({ clock: systemClock, maxListeners: 5 })
  const balancers = loopbackProvider({ cloud }).loadBalancers!
  const missing = async (name: string) => {
    const { notices = [] } = await balancers.ensure(service(name, 4), [], signal)
    return notices.flatMap(({ reason, message }) => (reason === "TooManyPorts" ? [/(\d+) ports/.exec(message)?.[1]] : []))
  }
  expect(await missing("one")).toEqual([])
  expect(await missing("two")).toEqual(["3"])
  await balancers.ensureDeleted(service("one", 4), signal)
  expect(await missing("two")).toEqual([])
})

test("node ports of a Service beyond 256 are refused, and the others are open", async () => {
  await using nodePorts = new NodePorts({ clock: systemClock })
  const ports = Array.from({ length: 300 }, (_, at) => ({
    address: "127.93.7.1",
    protocol: "TCP" as const,
    port: 17_400 + at,
    targets: [],
  }))
  await expect(nodePorts.set("default/many", ports)).rejects.toThrow("expected at most 256 listeners of one Service on nodes of this host")
  expect(nodePorts.of("default/many")).toHaveLength(256)
})

test("a released listener is taken again", () => {
  const budget = new ListenerBudget(1)
  expect([budget.take(0), budget.take(0)]).toEqual([undefined, "all"])
  budget.release()
  expect(budget.take(0)).toBeUndefined()
})
