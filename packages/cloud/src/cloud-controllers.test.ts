import { configMaps } from "@pilothouse/api/core/v1"
import { controller, createManager, plan } from "@pilothouse/runtime"
import { recordingLog, seededRandom, VirtualClock } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { createCloudControllers, selectCloudControllers } from "./cloud-controllers.ts"
import { MemoryCloud } from "./memory/memory-cloud.ts"
import { memoryProvider } from "./memory/provider.ts"
import { CloudError } from "./provider/cloud-errors.ts"

const clock = new VirtualClock()
const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name)

test("controllers are chosen by name, alias and minus; names of others are let pass", () => {
  const all = ["cloud-node-controller", "cloud-node-lifecycle-controller", "service-lb-controller", "node-route-controller"]
  expect(names(selectCloudControllers(["*"]))).toEqual(all)
  expect(names(selectCloudControllers(["*", "-service", "-route", "deployment"]))).toEqual(all.slice(0, 2))
  expect(names(selectCloudControllers(["service-lb-controller", "cloud-node"]))).toEqual([all[0], all[2]])
})

test("--cluster-name reaches the provider, and is kubernetes by default", () => {
  const seen: string[] = []
  const provider = (clusterName: string) => {
    seen.push(clusterName)
    return memoryProvider({ cloud: new MemoryCloud({ clock }), clusterName })
  }
  expect(names(createCloudControllers({ provider, clock, select: ["service"] }).controllers)).toEqual(["service-lb-controller"])
  createCloudControllers({ provider, clock, settings: { "cluster-name": "blue", "concurrent-service-syncs": 3, "some-other-flag": 1 } })
  expect(seen).toEqual(["kubernetes", "blue"])
})

test("the route controller is off until nodes are given ranges, and wants to know which", () => {
  const provider = () => memoryProvider({ cloud: new MemoryCloud({ clock }) })
  const settings = { "allocate-node-cidrs": true, "cluster-cidr": "10.244.0.0/16" }
  expect(names(createCloudControllers({ provider, clock, select: ["route"] }).controllers)).toEqual([])
  expect(names(createCloudControllers({ provider, clock, select: ["route"], settings }).controllers)).toEqual(["node-route-controller"])
  expect(() => createCloudControllers({ provider, clock, settings: { "allocate-node-cidrs": true } })).toThrow(
    '--cluster-cidr: expected ranges such as 10.244.0.0/16, found ""',
  )
})

test("a provider that lacks a capability: one clear error, that controller is off, the others run", () => {
  const { log, lines } = recordingLog()
  const provider = () => ({ ...memoryProvider({ cloud: new MemoryCloud({ clock }) }), instances: undefined })
  const { controllers, checks } = createCloudControllers({ provider, clock, log, select: ["service", "cloud-node"] })
  expect(names(controllers)).toEqual(["service-lb-controller"])
  const reason = "expected a cloud provider with instances, found memory, which has none; choose another one or disable the controller"
  expect(checks).toEqual([{ name: "cloud-node-controller", ok: false, reason }])
  expect(lines).toMatchObject([{ level: "error", fields: { controller: "cloud-node-controller", error: reason } }])
})

test("a provider that cannot be made: one error, unhealthy in /healthz, every other controller runs", async () => {
  const { log, lines } = recordingLog()
  const provider = () => {
    throw new CloudError("no credentials in clouds.yaml")
  }
  const made = createCloudControllers({ provider, clock, log, select: ["service"] })
  expect(lines).toHaveLength(1)
  await using running = await cluster({ controllers: [], nodes: 0 })
  const other = controller("other", { for: configMaps, observe: () => true, decide: () => plan().nothing() })
  const { transport, clock: time } = running
  const manager = createManager({
    controllers: [other, ...made.controllers],
    checks: () => made.checks,
    transport,
    clock: time,
    random: seededRandom(1),
  })
  const stop = new AbortController()
  const ended = manager.run(stop.signal)
  await running.settled()
  const answer = await manager.endpoints({ verb: "GET", path: "/healthz", query: {}, headers: {}, body: undefined })
  expect(answer.status).toBe(503)
  expect(manager.health.live()).toContainEqual({ name: "service-lb-controller", ok: false, reason: "no credentials in clouds.yaml" })
  expect(manager.health.ready()).toContainEqual(expect.objectContaining({ name: "other", ok: true }))
  stop.abort()
  await running.settled()
  await ended
})
