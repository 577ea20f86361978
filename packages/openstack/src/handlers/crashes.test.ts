import { endpoints, pods, services } from "@pilothouse/api/core/v1"
import { crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { decodeState } from "../versioned-objects/annotations.ts"
import { stateAnnotation } from "./annotations.ts"
import { podPorts, podVif, readyPod, type TestCluster, testCluster, testPod, testService } from "./testing/cluster.ts"
import { crashPlay } from "./testing/crashes.ts"

/** A pod that stays, one that goes, and a Service; then all is quiet. What is left of it, in words. */
async function scenario(run: TestCluster): Promise<unknown> {
  await run.cluster.apply(testPod("web-1"))
  await run.cluster.apply(testPod("web-2"))
  await readyPod(run, "web-1")
  await readyPod(run, "web-2")
  await run.cluster.apply(testService("web", { type: "LoadBalancer" }))
  await run.cluster.apply(testService("gone"))
  await run.cluster.advance("20s")
  await run.cluster.client.delete(pods, "default/web-2", { gracePeriodSeconds: 0 })
  await run.cluster.client.delete(services, "default/gone")
  await run.cluster.advance("100s")
  const on = (await run.cluster.client.get(endpoints, "default/web")).metadata.annotations?.[stateAnnotation]
  const state = on === undefined ? undefined : decodeState(on)
  return {
    ports: podPorts(run).map(({ name }) => name),
    vif: (await podVif(run, "web-1"))?.id === podPorts(run)[0]?.id,
    balancers: [...run.cloud.octavia.balancers.rows.values()].map(({ name }) => name).sort(),
    members: state?.members.map(({ name }) => name),
    floating: run.cloud.neutron.floatingIps.size,
  }
}

/** Sweeps soon, so that a run is over soon. */
const quick = { kuryr: { sweep: { every: "20s", grace: "20s" } } } as const

const play = crashPlay((layer) => testCluster({ ...quick, layer }), scenario)

test("undisturbed: one port, one load balancer and one floating IP are left", async () => {
  expect((await play(undefined)).end).toEqual({
    ports: ["web-1"],
    vif: true,
    balancers: ["default/kubernetes", "default/web"],
    members: ["default/web-1:8080"],
    floating: 1,
  })
})

test("whichever call of the cloud the handlers crash at, the end is the same, and nothing is too many", async () => {
  const report = await crashPoints(play, { sample: 10 })
  expect(report.calls).toBeGreaterThan(20)
  expect(report.tried).toBe(10)
})

test("a process that dies at any change of the cloud, with the answer lost: the end is the same, and nothing is too many", async () => {
  const calm = await play(undefined)
  const changes = calm.calls.flatMap((words, call) => (words.startsWith("GET ") ? [] : [{ words, call }]))
  expect(changes.length).toBeGreaterThan(10)
  for (const { words, call } of changes) {
    const { end, calls } = await play({ call, moment: "after" })
    expect([calls[call], end], `call ${call}`).toEqual([words, calm.end])
  }
})
