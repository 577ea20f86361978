import { services } from "@pilothouse/api/core/v1"
import { createManager } from "@pilothouse/runtime"
import { PilothouseError, seededRandom, silentLog, type Transport } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import type { Connect } from "../clients/calls/keystone.ts"
import { EmbeddedOpenStack } from "../embedded/embedded-open-stack.ts"
import { handlersOn, podPorts, podVif, testPod, testService } from "./testing/cluster.ts"

/** One of several processes with the handlers. Cut off, it reaches neither the cluster nor the cloud, and does not know it yet. */
function replica(identity: string, { clock, transport }: Cluster, cloud: EmbeddedOpenStack) {
  let isCutOff = false
  const unlessCut =
    (inner: Transport): Transport =>
    async (request) => {
      if (isCutOff) throw new PilothouseError("CONNECTION_LOST", "nothing gets through")
      return inner(request)
    }
  const layer =
    (inner: Connect): Connect =>
    (url) =>
      unlessCut(inner(url))
  const { controllers } = handlersOn(cloud, { clock, layer })
  const manager = createManager({
    controllers,
    transport: unlessCut(transport),
    clock,
    random: seededRandom(7),
    log: silentLog,
    leaderElection: { lease: "kube-system/kuryr-controller", identity },
  })
  const stop = new AbortController()
  const running = manager.run(stop.signal).catch((error: { code: string }) => error.code)
  return {
    running,
    cutOff: () => {
      isCutOff = true
    },
    reconciles: () => manager.trace.entries().filter(({ controller }) => controller === "vif").length,
    stop: () => stop.abort(),
  }
}

test("of two processes one works; when it is cut off in a burst the other takes over, and nothing is there twice", async () => {
  await using there = await cluster({ nodes: 0, controllers: ["endpoint", "endpointslice"] })
  const cloud = new EmbeddedOpenStack({ clock: there.clock, random: seededRandom(11) })
  const one = replica("one", there, cloud)
  await there.advance("5s")
  const other = replica("other", there, cloud)
  await there.apply(testPod("before"))
  await there.until(async () => (await podVif({ cluster: there }, "before"))?.active === true)
  expect([one.reconciles() > 0, other.reconciles()]).toEqual([true, 0])
  const names = Array.from({ length: 12 }, (_, at) => `burst-${at}`)
  cloud.knobs.latency = 400
  for (const name of names) await there.apply(testPod(name))
  await there.apply(testService("web", { type: "LoadBalancer" }))
  await there.advance("300ms")
  one.cutOff()
  await there.until(async () =>
    (await Promise.all(names.map((name) => podVif({ cluster: there }, name)))).every((vif) => vif?.active === true),
  )
  await there.until(async () => (await there.client.get(services, "default/web")).status?.loadBalancer?.ingress?.length === 1)
  await there.advance("3m")
  expect(await one.running).toBe("LEADERSHIP_LOST")
  expect(
    podPorts({ cloud })
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(["before", ...names].toSorted())
  expect([...cloud.octavia.balancers.rows.values()].map(({ name }) => name).toSorted()).toEqual(["default/kubernetes", "default/web"])
  expect(cloud.neutron.floatingIps.size).toBe(1)
  other.stop()
  await there.advance("1s")
  expect(await other.running).toBeUndefined()
})
