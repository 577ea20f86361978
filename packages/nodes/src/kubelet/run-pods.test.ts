import type { Pod } from "@pilothouse/api/core/v1"
import { describePlan, type Operation, type Plan, type Result } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { decide, settle } from "./decide.ts"
import { simulatedNode } from "./node/simulated-node.ts"
import { nine, simulatedPod } from "./testing/pods.ts"

const node = simulatedNode(1)

function planFor(...pods: readonly Pod[]): Plan {
  return decide({ node, pods }, { now: nine })
}

function operations({ steps }: Plan): readonly Operation[] {
  return steps.flatMap((step) => step.operations)
}

/** What is said of the pod. */
function statusIn(planned: Plan): Pod["status"] {
  const [found] = operations(planned).filter((one) => one.do === "patch")
  return (found as { readonly patch?: { readonly status?: Pod["status"] } } | undefined)?.patch?.status
}

describe("where a pod is", () => {
  test("on its node's own network it has the node's address", () => {
    expect(statusIn(planFor(simulatedPod({ hostNetwork: true })))).toMatchObject({ podIP: "10.240.0.1", hostIP: "10.240.0.1" })
  })

  test("else one of the node's block", () => {
    expect(statusIn(planFor(simulatedPod()))).toMatchObject({ podIP: "10.244.1.1", hostIP: "10.240.0.1" })
  })

  test("one that was deleted before it had an address needs none, also where all are taken", () => {
    const others = Array.from({ length: 254 }, (_, at): Pod => {
      const { spec, ...rest } = simulatedPod()
      return {
        ...rest,
        metadata: { ...rest.metadata, uid: `${at}`, name: `old-${at}` },
        spec,
        status: { phase: "Running", podIP: `10.244.1.${at + 1}` },
      }
    })
    const pod = simulatedPod()
    const metadata = { ...pod.metadata, name: "late", deletionTimestamp: "2026-01-05T09:00:30Z", deletionGracePeriodSeconds: 30 }
    const lines = describePlan(planFor(...others, { ...pod, metadata }))
    expect(lines.filter((line) => line.startsWith("wait for"))).toEqual([])
    expect(lines.some((line) => line.startsWith("delete Pod default/late"))).toBe(true)
  })
})

describe("a pod whose containers have stopped", () => {
  const pod = simulatedPod()
  const metadata = { ...pod.metadata, deletionTimestamp: "2026-01-05T09:00:30Z", deletionGracePeriodSeconds: 30 }
  const planned = planFor({ ...pod, metadata })
  const stepWith = (verb: string) => planned.steps.findIndex((step) => step.operations.some((one) => one.do === verb))

  test("has said how it ended before it goes", () => {
    expect(stepWith("patch")).toBeGreaterThanOrEqual(0)
    expect(stepWith("delete")).toBeGreaterThan(stepWith("patch"))
  })
})

describe("events", () => {
  const planned = planFor(simulatedPod())
  const told = (ok: boolean) => {
    const results = operations(planned).map((operation) => ({ ok, operation, error: new Error("no") }) as unknown as Result)
    return settle({ node, pods: [] }, results).events.map(({ reason }) => reason)
  }

  test("is what happened", () => {
    expect(told(true)).toEqual(["Pulled", "Created", "Started"])
  })

  test("is not what could not be written", () => {
    expect(told(false)).toEqual([])
  })
})
