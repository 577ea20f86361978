import type { DaemonSet } from "@pilothouse/api/apps/v1"
import { nodes } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { daemonSetLines } from "./daemonset-nodes.ts"

function set(nodeSelector: Record<string, string> | undefined, desired: number): DaemonSet {
  const template = { metadata: {}, spec: { nodeSelector, containers: [{ name: "agent", image: "agent" }] } }
  const status = { desiredNumberScheduled: desired, currentNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 }
  return { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "agent" }, spec: { selector: {}, template }, status }
}

test.each<[name: string, set: DaemonSet, says: string]>([
  ["all nodes", set(undefined, 3), "for 3 of 3 nodes"],
  ["some of them", set({ disk: "ssd" }, 2), "for 2 of 3 nodes, those with disk=ssd"],
  [
    "some that do not let it in",
    set({ disk: "ssd" }, 1),
    "for 1 of 3 nodes, those with disk=ssd; 1 more are kept out by taints or affinity",
  ],
  [
    "none, because no node is so labelled",
    set({ disk: "sdd" }, 0),
    'for no node: none of 3 has disk=sdd of its node selector; "kubectl get nodes --show-labels" shows what labels there are',
  ],
])("a DaemonSet is for %s", async (_name, one, says) => {
  await using running = await cluster({ controllers: [], nodes: 3 })
  await running.settled()
  for (const name of ["node-1", "node-2"]) await running.client.patch(nodes, name, { metadata: { labels: { disk: "ssd" } } })
  expect(await daemonSetLines(running.client, one)).toEqual([says])
})
