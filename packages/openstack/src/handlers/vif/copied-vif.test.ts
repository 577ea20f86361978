import { pods } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { podPorts, podVif, readyPod, testCluster, testPod } from "../testing/cluster.ts"
import { eventMessages, expectFault, expectReady } from "../testing/faults.ts"

test("a pod that was copied with its annotation, as `kubectl debug --copy-to` did: told, and it gets a port of its own; the first keeps its own, also when the copy goes", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testPod("web"))
  await readyPod(run, "web")
  const { annotations } = (await run.cluster.client.get(pods, "default/web")).metadata
  const copy = testPod("copy", { nodeName: undefined })
  await run.cluster.apply({ ...copy, metadata: { ...copy.metadata, annotations } })
  await run.cluster.advance("1s")
  // Before it has a node, which would plug it in.
  expect(await podVif(run, "copy")).toBeUndefined()
  const says = /kuryr-vif was copied from another pod, whose port \S+ is; the pod gets one of its own/
  await expectFault(run, { handler: "vif", name: "copy", reason: "KuryrVifCopied", says })
  await run.cluster.client.delete(pods, "default/copy", { gracePeriodSeconds: 0 })
  const bound = testPod("copy")
  await run.cluster.apply({ ...bound, metadata: { ...bound.metadata, annotations } })
  await run.cluster.until(
    async () => (await podVif(run, "copy"))?.active === true && (await eventMessages(run, "KuryrVifCopied")).length > 0,
  )
  const [web, its] = [(await podVif(run, "web"))?.id, (await podVif(run, "copy"))?.id]
  expect(podPorts(run).map(({ id }) => id)).toEqual([web, its])
  await run.cluster.advance("1m")
  await expectReady(run, "vif", "copy")
  await run.cluster.restartControllers()
  await run.cluster.client.delete(pods, "default/copy", { gracePeriodSeconds: 0 })
  await run.cluster.advance("1m")
  expect([podPorts(run).map(({ id }) => id), (await podVif(run, "web"))?.id]).toEqual([[web], web])
})
