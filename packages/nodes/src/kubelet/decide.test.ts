import type { Node, Pod } from "@pilothouse/api/core/v1"
import { describePlan } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import type { Observed } from "./observe.ts"
import { simulatedNode } from "./simulated-node.ts"

const context = { now: Date.UTC(2026, 0, 5, 9) }

function pod(name: string, status: Pod["status"] = {}): Pod {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" }, spec: { containers: [] }, status }
}

/** All 254 addresses of node-1, in the statuses of as many pods. */
function fullNode(phase: NonNullable<Pod["status"]>["phase"]): Pod[] {
  return Array.from({ length: 254 }, (_, at) => pod(`old-${at}`, { phase, podIP: `10.244.1.${at + 1}` }))
}

function said(pods: readonly Pod[]): readonly string[] {
  const observed: Observed = { node: simulatedNode(1), pods }
  return describePlan(decide(observed, context))
}

describe("a node with 254 pods", () => {
  test("that have finished gives their addresses to new ones", () => {
    expect(said([...fullNode("Succeeded"), pod("new")])).toContain("patch Pod default/new (its status), because its node has taken it")
  })

  test("that run lets the next one wait, and still renews its Lease", () => {
    const lines = said([...fullNode("Running"), pod("new")])
    expect(lines).toContain("wait for a free address in 10.244.1.0/24 for default/new: all 254 are taken")
    expect(lines).toContain("create Lease kube-node-lease/node-1, because the node has no Lease yet")
  })
})

describe("a node that others have called lost", () => {
  const lostAt = "2026-01-05T08:50:00Z"
  const lost: Node = { ...simulatedNode(1), status: { conditions: [{ type: "Ready", status: "Unknown", lastTransitionTime: lostAt }] } }
  const notReady = (name: string, since: string): Pod =>
    pod(name, {
      phase: "Running",
      startTime: since,
      podIP: "10.244.1.9",
      conditions: [{ type: "Ready", status: "False", lastTransitionTime: since }],
    })

  test("is Ready again, and so are the pods that were lost with it; what was not ready before stays so", () => {
    const lines = describePlan(
      decide({ node: lost, pods: [notReady("with", lostAt), notReady("before", "2026-01-05T08:00:00Z")] }, context),
    )
    expect(lines).toContain("patch Pod default/with (its status), because its node is back")
    expect(lines.filter((line) => line.includes("default/before"))).toEqual([])
    expect(lines.indexOf("write the status of Node node-1, because the kubelet has started")).toBeGreaterThan(0)
  })
})

describe("a network of its own", () => {
  const network = ({ metadata }: Pod) =>
    metadata.annotations?.port === undefined ? { waiting: `a port for ${metadata.name}` } : { address: metadata.annotations.port }
  const lines = (annotations?: Record<string, string>) => {
    const one = pod("new")
    return describePlan(
      decide({ node: simulatedNode(1), pods: [{ ...one, metadata: { ...one.metadata, annotations } }], network }, context),
    )
  }

  test("lets a pod wait until it has an address", () => {
    expect(lines()).toContain("wait for a port for new")
    expect(lines({ port: "192.168.0.7" })).toContain("patch Pod default/new (its status), because its node has taken it")
  })
})
