import type { Service } from "@pilothouse/api/core/v1"
import { describePlan, type Result } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { CloudError } from "../provider/cloud-errors.ts"
import { decide } from "./decide.ts"
import type { Observed } from "./observe.ts"
import { settle } from "./settle.ts"
import { newService } from "./testing/cloud-cluster.ts"
import { cleanupFinalizer } from "./wants-load-balancer.ts"

function service(metadata: object = {}, status: Service["status"] = {}, spec: Parameters<typeof newService>[0] = {}): Service {
  const made = newService(spec)
  return { ...made, metadata: { ...made.metadata, uid: "1", ...metadata }, status }
}

const finalizers = [cleanupFinalizer, "other"]
const status = { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } }
const words = (observed: Omit<Observed, "nodes">) => describePlan(decide({ nodes: [], ...observed }))

describe("AddFinalizer", () => {
  test("no-op add finalizer", () => {
    expect(words({ service: service({ finalizers }) })).toEqual([
      "remember service of default/web, because its load balancer must be found when the Service is gone",
      "say Normal EnsuringLoadBalancer of Service default/web: Ensuring load balancer",
    ])
  })

  test("add finalizer", () => {
    expect(words({ service: service() })[1]).toBe(
      "patch Service default/web (its status), because the Service must not be deleted before its load balancer",
    )
  })
})

describe("RemoveFinalizer", () => {
  const going = service({ finalizers }, status, { type: "ClusterIP" })
  const removal = (now: Service | undefined, before = going) =>
    decide({ service: now, nodes: [], cached: { service: before, task: "delete" } })
  const deletion = (why: string) => `delete balancer of default/web, because ${why}`
  const ends = [
    "remember no balancer of default/web, because its load balancer is gone",
    "say Normal DeletedLoadBalancer of Service default/web: Deleted load balancer",
  ]

  test("no-op remove finalizer", () => {
    const plain = service({}, {}, { type: "ClusterIP" })
    expect(describePlan(removal(plain))).toEqual([deletion("its Service no longer requests one"), ...ends])
  })

  test("remove finalizer, after the status, and forget the Service after both", () => {
    expect(describePlan(removal(going))).toEqual([
      deletion("its Service no longer requests one"),
      "patch Service default/web (its status), because its load balancer is gone",
      "patch Service default/web (its status), because nothing has to be cleaned up after it any more",
      ...ends,
    ])
  })

  test("each in a step of its own; both writes name the Service by its UID, and are fine where it is gone", () => {
    expect(removal(going).steps.map(({ operations }) => operations)).toMatchObject([
      [{ do: "delete-balancer" }],
      [{ subresource: "status", patch: { metadata: { uid: "1" } }, tolerate: ["NotFound"] }],
      [{ patch: { metadata: { uid: "1", "$deleteFromPrimitiveList/finalizers": [cleanupFinalizer] } }, tolerate: ["NotFound"] }],
      [{ do: "remember-no-balancer" }],
    ])
  })

  test("a Service that is gone has neither, and of another of its name neither is touched", () => {
    expect(describePlan(removal(undefined))).toEqual([deletion("its Service is gone"), ...ends])
    const other = service({ uid: "2", finalizers }, status)
    expect(describePlan(removal(other))).toEqual([deletion("another Service has taken the name of its own"), ...ends])
  })

  test("the other Service of its name is looked at next, and only when the balancer is gone", () => {
    const other = service({ uid: "2" })
    const results = removal(other).steps.flatMap(({ operations }) =>
      operations.map((operation): Result => ({ operation, ok: true, value: true })),
    )
    expect(settle({ service: other, nodes: [] }, results).requeue?.after).toBe(0)
    expect(settle({ service: going, nodes: [] }, results).requeue).toBeUndefined()
  })

  test("a failure to remove the finalizer has its own message", () => {
    const results = removal(going).steps.map(({ operations: [operation] }, at): Result => {
      if (at < 2) return { operation: operation!, ok: true, value: true }
      return at === 2 ? { operation: operation!, ok: false, error: new CloudError("no") } : { operation: operation!, ok: "skipped" }
    })
    expect(describePlan(settle({ service: going, nodes: [] }, results))).toEqual([
      "say Warning SyncLoadBalancerFailed of Service default/web: Error syncing load balancer: failed to remove load balancer cleanup finalizer: no",
    ])
  })
})

describe("what is decided", () => {
  const wanting = service({ finalizers }, status)
  const ensured = { service: wanting, nodes: [], status: status.loadBalancer }

  test("a new process asks the cloud quietly about a Service that looks finished", () => {
    expect(words({ service: wanting })).toEqual([
      "ensure balancer of default/web, because this process has just begun, and its load balancer may not be what it should be",
    ])
  })

  test("nothing, where the balancer matches", () => {
    expect(words({ service: wanting, cached: { service: wanting, task: "ensure", ensured } })).toEqual([
      "nothing to do: its load balancer matches",
    ])
  })

  test("nothing, where another controller makes it", () => {
    const elsewhere = { service: wanting, nodes: [] }
    expect(words({ service: wanting, cached: { service: wanting, task: "ensure", ensured: elsewhere } })).toEqual([
      "nothing to do: another controller makes its load balancer",
    ])
  })

  test("a status that was lost is written again, without a call", () => {
    const plan = words({ service: service({ finalizers }), cached: { service: wanting, task: "ensure", ensured } })
    expect(plan[0]).toBe("patch Service default/web (its status), because this is where its load balancer is")
  })

  test("a Service that is deleted and never had one is left alone", () => {
    expect(words({ service: service({ deletionTimestamp: "2026-01-05T09:00:00Z", finalizers: ["other"] }) })).toEqual([
      "nothing to do: it requests no load balancer, and has none",
    ])
  })

  test("a finalizer that another client removed is added again", () => {
    const bare = service({ finalizers: ["other"] }, status)
    expect(words({ service: bare, cached: { service: wanting, task: "ensure", ensured } })[1]).toBe(
      "patch Service default/web (its status), because the Service must not be deleted before its load balancer",
    )
  })

  test("a balancer of unknown state is ensured", () => {
    expect(words({ service: wanting, cached: { service: wanting, task: "ensure" } })).toEqual([
      "ensure balancer of default/web, because the Service requests a load balancer",
    ])
  })

  test("a change is announced before it is made", () => {
    const changed = service({ finalizers, annotations: { a: "b" } }, status)
    expect(words({ service: changed, cached: { service: wanting, task: "ensure", ensured } }).at(-1)).toContain("EnsuringLoadBalancer")
  })

  test("a failure to add the finalizer has its own message", () => {
    const plan = decide({ service: service(), nodes: [] })
    const [remember, patch] = plan.steps.flatMap((step) => step.operations)
    const results: readonly Result[] = [
      { operation: remember!, ok: true, value: true },
      { operation: patch!, ok: false, error: new CloudError("no") },
    ]
    expect(describePlan(settle({ service: service(), nodes: [] }, results))).toEqual([
      "say Warning SyncLoadBalancerFailed of Service default/web: Error syncing load balancer: failed to add load balancer cleanup finalizer: no",
    ])
  })
})
