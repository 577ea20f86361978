import type { Pod } from "@pilothouse/api/core/v1"
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
    expect(said([...fullNode("Succeeded"), pod("new")])).toContain(
      "patch Pod default/new (its status), because its containers have started",
    )
  })

  test("that run lets the next one wait, and still renews its Lease", () => {
    const lines = said([...fullNode("Running"), pod("new")])
    expect(lines).toContain("wait for a free address in 10.244.1.0/24 for default/new: all 254 are taken")
    expect(lines).toContain("create Lease kube-node-lease/node-1, because the node has no Lease yet")
  })
})
