import type { Node, Pod, PodCondition } from "@pilothouse/api/core/v1"
import { describePlan } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { simulatedNode } from "./node/simulated-node.ts"
import type { Observed } from "./observe.ts"

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
  const notReady = (name: string, said: Partial<PodCondition> = {}): Pod =>
    pod(name, {
      phase: "Running",
      startTime: lostAt,
      podIP: "10.244.1.9",
      conditions: [
        { type: "Ready", status: "False", lastTransitionTime: lostAt, ...said },
        { type: "ContainersReady", status: said.reason === "ContainersNotReady" ? "False" : "True" },
      ],
    })
  const back = "patch Pod default/with (its status), because its node is back"

  test("is Ready again, and after that its pods are; what its kubelet called not ready stays so", () => {
    const known = [notReady("with"), notReady("before", { reason: "ContainersNotReady" }), notReady("gated", { reason: "Other" })]
    const planned = decide({ node: lost, pods: known }, context)
    const lines = describePlan(planned)
    expect(lines).toContain(back)
    expect(lines.filter((line) => line.includes("default/before") || line.includes("default/gated"))).toEqual([])
    const steps = planned.steps.map(({ operations }) => operations.map((one) => one.do).join())
    expect(steps.slice(-2)).toEqual(["status", "patch"])
    expect(planned.steps.at(-2)?.onFailure).toBeUndefined()
  })

  test("is Ready already when a pod is still called lost: it says otherwise", () => {
    const ready: Node = { ...lost, status: { conditions: [{ type: "Ready", status: "True" }] } }
    expect(describePlan(decide({ node: ready, pods: [notReady("with")] }, context))).toContain(back)
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
