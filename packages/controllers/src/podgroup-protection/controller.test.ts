import { pods } from "@pilothouse/api/core/v1"
import { podGroups } from "@pilothouse/api/scheduling/v1alpha2"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { finalizer } from "./controller.ts"
import { podGroup, podGroupVersion, podOf } from "./testing/objects.ts"

const name = "podgroup-protection-controller"
const only = { nodes: 0, controllers: [name], enabledVersions: [podGroupVersion] }

async function names(running: Cluster): Promise<readonly (string | undefined)[]> {
  await running.settled()
  return (await running.list(podGroups)).map(({ metadata }) => metadata.name)
}

const finished = (running: Cluster, pod: string, phase: string) =>
  running.client.patch(pods, `default/${pod}`, { status: { phase } }, { subresource: "status" })

test("an unused group is deleted at once, also where roles are enforced", async () => {
  await using running = await cluster({ ...only, rbac: true })
  await running.apply(podGroup("g"))
  expect((await running.client.get(podGroups, "default/g")).metadata.finalizers).toEqual([finalizer])
  await running.client.delete(podGroups, "default/g")
  expect(await names(running)).toEqual([])
})

test.each(["Succeeded", "Failed"])("a group stays until its last pod is %s", async (phase) => {
  await using running = await cluster(only)
  for (const object of [podGroup("g"), podOf("g", "a"), podOf("g", "b"), podOf("h", "c")]) await running.apply(object)
  await running.client.delete(podGroups, "default/g")
  await finished(running, "a", phase)
  await running.advance("10m")
  expect(await names(running)).toEqual(["g"])
  await finished(running, "b", phase)
  expect(await names(running)).toEqual([])
})

test("a group goes with its last pod, and with one that is replaced by a pod of another group", async () => {
  await using running = await cluster(only)
  for (const object of [podGroup("g"), podGroup("h"), podOf("g", "a"), podOf("h", "b")]) await running.apply(object)
  for (const group of ["g", "h"]) await running.client.delete(podGroups, `default/${group}`)
  await running.client.delete(pods, "default/a", { gracePeriodSeconds: 0 })
  expect(await names(running)).toEqual(["h"])
  await running.client.delete(pods, "default/b", { gracePeriodSeconds: 0 })
  await running.client.create(pods, podOf("other", "b"))
  expect(await names(running)).toEqual([])
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        for (const object of [podGroup("g"), podGroup("free"), podOf("g")]) await running.apply(object)
        for (const group of ["g", "free"]) await running.client.delete(podGroups, `default/${group}`)
        await running.advance("30s")
        await running.client.delete(pods, "default/g", { gracePeriodSeconds: 0 })
        await running.advance("60s")
      },
    },
    { sample: 6, seed: 3, writers: ["podgroup-protection-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
