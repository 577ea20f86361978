import { nodes } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { nodeLines } from "./node-state.ts"

test("says of a healthy node when its kubelet renewed its Lease", async () => {
  await using running = await cluster({ controllers: ["node-lifecycle-controller"], nodes: 1 })
  await running.advance("25s")
  const node = await running.client.get(nodes, "node-1")
  expect(await nodeLines(running.client, node, running.clock.now())).toEqual([
    expect.stringMatching(/^its kubelet renewed its Lease \ds ago$/),
  ])
})

test("said nothing of a paused kubelet, of a cordon and of taints: each with what follows and what to do", async () => {
  await using running = await cluster({ controllers: ["node-lifecycle-controller"], nodes: 2 })
  await running.settled()
  const annotations = { "pilothouse.dev/paused": "true" }
  await running.client.patch(nodes, "node-1", { metadata: { annotations }, spec: { unschedulable: true } })
  await running.advance("2m")
  const node = await running.client.get(nodes, "node-1")
  const lines = await nodeLines(running.client, node, running.clock.now())
  expect(lines.slice(0, 3)).toEqual([
    "its kubelet renewed its Lease 2m ago",
    'its kubelet is paused, as if its plug were pulled: "kubectl annotate node node-1 pilothouse.dev/paused-" lets it go on',
    'it is cordoned, and gets no new pods: "kubectl uncordon node-1" lets them come',
  ])
  expect(lines.slice(3).toSorted()).toEqual([
    expect.stringMatching(/^its taint node.kubernetes.io\/unreachable:NoExecute, for \d+[sm]: pods that do not tolerate it have to leave$/),
    expect.stringMatching(/^its taint node.kubernetes.io\/unreachable:NoSchedule, for \d+[sm]: pods that do not tolerate it do not come$/),
    expect.stringMatching(
      /^its taint node.kubernetes.io\/unschedulable:NoSchedule, for \d+[sm]: pods that do not tolerate it do not come$/,
    ),
  ])
})

test("says of one without a Lease that it has none", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  const lines = await nodeLines(running.client, { apiVersion: "v1", kind: "Node", metadata: { name: "bare" } }, 0)
  expect(lines).toEqual(["its kubelet has no Lease: only its status shows that it runs"])
})
