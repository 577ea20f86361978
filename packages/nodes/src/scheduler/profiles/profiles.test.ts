import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { readProfiles } from "./read-profiles.ts"

const schedulerProfiles = readProfiles({
  apiVersion: "kubescheduler.config.k8s.io/v1",
  kind: "KubeSchedulerConfiguration",
  profiles: [
    { schedulerName: "default-scheduler" },
    { schedulerName: "careless", plugins: { filter: { disabled: [{ name: "TaintToleration" }] } } },
  ],
})

function pod(name: string, schedulerName?: string): Pod {
  const spec = { containers: [{ name: "a", image: "a" }], ...(schedulerName && { schedulerName }) }
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec }
}

test("pods are placed by the profile whose scheduler they name, and by none where there is no such profile", async () => {
  await using running = await cluster({ nodes: 1, controllers: [], schedulerProfiles })
  await running.client.patch(nodes, "node-1", { spec: { taints: [{ key: "example.com/out", effect: "NoSchedule" }] } })
  for (const object of [pod("careful"), pod("careless", "careless"), pod("another", "another")]) await running.apply(object)
  await running.settled()
  const found = await running.list(pods)
  expect(found.map(({ metadata, spec, status }) => [metadata.name, spec?.nodeName ?? status?.conditions?.[0]?.reason])).toEqual([
    ["another", undefined],
    ["careful", "Unschedulable"],
    ["careless", "node-1"],
  ])
})
