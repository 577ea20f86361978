import { type ContainerStatus, nodes, type Pod } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { aPod } from "@pilothouse/testing/builders"
import { expect, test } from "vitest"
import { podLines } from "./pod-state.ts"

const now = Date.parse("2026-01-05T09:01:00Z")

function pod(spec: Partial<Pod["spec"]>, status: Pod["status"] = {}): Pod {
  return aPod("web-1", { spec: { containers: [{ name: "web", image: "example/web" }], ...spec }, status })
}

function running(status: Partial<ContainerStatus>): Pod {
  const one: ContainerStatus = { name: "web", image: "example/web", imageID: "", ready: false, restartCount: 0, ...status }
  return pod({ nodeName: "node-1" }, { containerStatuses: [one] })
}

const ended = { exitCode: 3, reason: "Error", finishedAt: "2026-01-05T09:00:55Z" }
const unready = { type: "PodScheduled", status: "False" as const, reason: "Unschedulable", message: "0/1 nodes are available: too small." }

const rows: Record<string, { pod: Pod; says: readonly string[] }> = {
  "why it is on no node": { pod: pod({}, { conditions: [unready] }), says: ["on no node: 0/1 nodes are available: too small."] },
  "that it is not scheduled": { pod: pod({}), says: ["on no node: no scheduler has looked at it"] },
  "which gates it waits at": {
    pod: pod({ schedulingGates: [{ name: "example.com/quota" }, { name: "b" }] }, { conditions: [unready] }),
    says: ["on no node: it is not scheduled before its scheduling gates are taken away (example.com/quota, b)"],
  },
  "that its node is gone": { pod: pod({ nodeName: "node-9" }), says: ["its node node-9 does not exist"] },
  "how long a container runs": {
    pod: running({ ready: true, state: { running: { startedAt: "2026-01-05T09:00:00Z" } } }),
    says: ["web runs for 1m"],
  },
  "one that is not ready, and what became of it before": {
    pod: running({ restartCount: 1, state: { running: { startedAt: "2026-01-05T09:00:59Z" } }, lastState: { terminated: ended } }),
    says: ["web runs for 1s, but is not ready, restarted once; before that it ended 5s ago with exit code 3 (Error)"],
  },
  "what one waits for": {
    pod: running({ state: { waiting: { reason: "ImagePullBackOff", message: 'Back-off pulling image "nope"' } } }),
    says: ['web waits: ImagePullBackOff: Back-off pulling image "nope"'],
  },
  "one that crashes again and again": {
    pod: running({
      restartCount: 4,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 1m20s restarting failed container=web pod=web-1_default(u)" } },
      lastState: { terminated: ended },
    }),
    says: [
      "web waits: CrashLoopBackOff, and starts again in 1m15s, restarted 4 times; before that it ended 5s ago with exit code 3 (Error)",
    ],
  },
  "one that has ended": { pod: running({ state: { terminated: ended } }), says: ["web ended 5s ago with exit code 3 (Error)"] },
}

test.each(Object.entries(rows))("says %s", async (_, { pod: one, says }) => {
  await using made = await cluster({ controllers: [], nodes: 1 })
  expect(await podLines(made.client, one, { now })).toEqual(says)
})

test.each<[where: string, controllers: readonly string[] | undefined, says: string]>([
  ["in a cluster of `up`", ["default-scheduler"], 'on no node: it asks for the scheduler "other", which does not run here'],
  ["where another program may run it", undefined, 'on no node: it asks for the scheduler "other", which has not looked at it'],
])("names the scheduler that a pod asks for: %s", async (_, controllers, says) => {
  await using made = await cluster({ controllers: [], nodes: 0 })
  expect(await podLines(made.client, pod({ schedulerName: "other" }), { now, controllers })).toEqual([says])
})

test("says that its node is lost, so that its status may be outdated", async () => {
  await using made = await cluster({ controllers: ["node-lifecycle-controller"], nodes: 1 })
  await lose(made)
  const [first] = await podLines(made.client, running({}), { now })
  expect(first).toBe("its node node-1 is not ready (Kubelet stopped posting node status.): what follows is what was last reported")
})

test("says of one that was deleted on such a node why it stays", async () => {
  await using made = await cluster({ controllers: ["node-lifecycle-controller"], nodes: 1 })
  await lose(made)
  const one = running({ ready: true, state: { running: { startedAt: "2026-01-05T09:00:00Z" } } })
  const deleted = { ...one, metadata: { ...one.metadata, deletionTimestamp: "2026-01-05T09:00:30Z" } }
  expect((await podLines(made.client, deleted, { now })).slice(1)).toEqual([
    "it stays until the kubelet of node-1 reports that it has ended, or the node is deleted",
    "web runs for 1m",
  ])
})

async function lose(made: Cluster): Promise<void> {
  await made.settled()
  await made.client.patch(nodes, "node-1", { metadata: { annotations: { "pilothouse.dev/paused": "true" } } })
  await made.advance("2m")
}
