import type { Node, NodeCondition } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { nodeReport } from "./node-status.ts"
import { simulatedNode } from "./simulated-node.ts"

const now = Date.UTC(2026, 0, 5, 9)
const at = (minutes: number) => now + minutes * 60_000
const ready: NodeCondition = { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }

/** As its kubelet has left it at nine. */
function started(more: Node["status"] = {}): Node {
  return { ...simulatedNode(1), status: { ...nodeReport(simulatedNode(1), now)?.status, ...more } }
}

function conditionsAt(node: Node, minutes: number): readonly string[] | undefined {
  return nodeReport(node, at(minutes))?.status.conditions?.map(
    ({ type, status, lastTransitionTime, lastHeartbeatTime }) =>
      `${type} ${status} since ${lastTransitionTime?.slice(11, 16)}, said ${lastHeartbeatTime?.slice(11, 16)}`,
  )
}

test("a kubelet that starts says all that people ask of a node", () => {
  const { status, reason } = nodeReport(simulatedNode(3), now) ?? {}
  expect(reason).toBe("the kubelet has started")
  expect(status).toMatchObject({
    capacity: { cpu: "32", memory: "256Gi", pods: "110", "ephemeral-storage": "1Ti" },
    allocatable: { cpu: "32", memory: "256Gi", pods: "110", "ephemeral-storage": "1Ti" },
    addresses: [
      { type: "InternalIP", address: "10.240.0.3" },
      { type: "Hostname", address: "node-3" },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: { architecture: "amd64", operatingSystem: "linux", kubeletVersion: expect.stringMatching(/^v1\.\d+\.\d+$/) },
  })
  expect(status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason])).toEqual([
    ["MemoryPressure", "False", "KubeletHasSufficientMemory"],
    ["DiskPressure", "False", "KubeletHasNoDiskPressure"],
    ["PIDPressure", "False", "KubeletHasSufficientPID"],
    ["Ready", "True", "KubeletReady"],
  ])
})

test("what people have said a node can give stays", () => {
  const node: Node = { ...simulatedNode(1), status: { capacity: { cpu: "4" }, allocatable: { cpu: "3", "example.org/fpga": "2" } } }
  const { status } = nodeReport(node, now) ?? {}
  expect([status?.capacity?.cpu, status?.allocatable]).toEqual([
    "4",
    { cpu: "3", memory: "256Gi", pods: "110", "ephemeral-storage": "1Ti", "example.org/fpga": "2" },
  ])
})

test.each([
  ["the moment it was said", 0, undefined],
  ["a moment before five minutes are over", 4.99, undefined],
  ["after five minutes: what has not changed is since when it was", 5, "Ready True since 09:00, said 09:05"],
])("a node that is Ready, %s", (_name, minutes, expected) => {
  expect(conditionsAt(started(), minutes)?.at(-1)).toBe(expected)
})

test("a report without changes keeps what other clients have written to the node", () => {
  const addresses = [{ type: "InternalIP", address: "192.168.7.1" }]
  const { status, reason } = nodeReport(started({ addresses }), at(6)) ?? {}
  expect([reason, status?.addresses]).toEqual(["its last report is five minutes old", addresses])
})

test("conditions of others were lost when a kubelet came back", () => {
  const network: NodeCondition = { type: "NetworkUnavailable", status: "False", reason: "RouteCreated" }
  const lost: NodeCondition = { ...ready, status: "Unknown", lastTransitionTime: "2026-01-05T09:01:00Z" }
  const full: NodeCondition = { type: "DiskPressure", status: "False", lastTransitionTime: "2026-01-05T08:00:00Z" }
  const node = started({ conditions: [network, full, lost] })
  expect(nodeReport(node, at(2))?.status.conditions?.[0]).toEqual(network)
  expect(conditionsAt(node, 2)?.slice(1)).toEqual([
    "DiskPressure False since 08:00, said 09:02",
    "Ready True since 09:02, said 09:02",
    "MemoryPressure False since 09:02, said 09:02",
    "PIDPressure False since 09:02, said 09:02",
  ])
})

test.each([
  ["runs processes now", { exec: true }, "127.60.0.1"],
  ["runs processes where the host has one address", { exec: true, oneAddress: true }, "127.0.0.1"],
])("a node that %s says its new address at once", (_name, options, address) => {
  const moved: Node = { ...simulatedNode(1, options), status: started().status }
  expect(nodeReport(moved, at(1))?.status.addresses?.[0]).toEqual({ type: "InternalIP", address })
})
