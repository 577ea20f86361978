import { type Descriptor, formatTime, type KubeObject, methodNotAllowed, type ObjectMeta, serviceUnavailable } from "@pilothouse/api"
import { deployments } from "@pilothouse/api/apps/v1"
import { configMaps, type Namespace, type NamespaceStatus, type Pod, pods, secrets } from "@pilothouse/api/core/v1"
import { describeOperation, type Operation, type Plan, type Result } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import type { Collection, Content } from "./observe.ts"
import { settle } from "./settle.ts"

const deletedAt = Date.UTC(2026, 0, 5, 9)
const context = { now: deletedAt + 6000, random: seededRandom(1) }
const later = { ...context, now: deletedAt + 40_000 }
const going = { deletionTimestamp: formatTime(deletedAt + 5000) }

function namespace(finalizers: readonly string[] = ["kubernetes"], status: NamespaceStatus = { phase: "Terminating" }): Namespace {
  const metadata = { name: "shop", uid: "ns-1", resourceVersion: "3", deletionTimestamp: formatTime(deletedAt) }
  return { apiVersion: "v1", kind: "Namespace", metadata, spec: { finalizers }, status }
}

function some(of: Descriptor, ...metadata: readonly Partial<ObjectMeta>[]): Collection {
  const items = metadata.map(
    (one, at): KubeObject => ({ apiVersion: "v1", kind: of.kind, metadata: { name: `${of.singular}-${at}`, namespace: "shop", ...one } }),
  )
  return { of, items }
}

function pod(metadata: Partial<ObjectMeta>, grace: number, phase: "Running" | "Succeeded" = "Running"): Collection {
  const items: readonly Pod[] = [
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "pod-0", namespace: "shop", ...metadata },
      spec: { containers: [], terminationGracePeriodSeconds: grace },
      status: { phase },
    },
  ]
  return { of: pods, items }
}

function content(collections: readonly Collection[], more: Partial<Content> = {}): Content {
  return { collections, failed: [], unreadable: [], unlistable: [], ...more }
}

function operations(plan: Plan): readonly Operation[] {
  return plan.steps.flatMap((step) => step.operations)
}

function described(plan: Plan): readonly string[] {
  return operations(plan).map(describeOperation)
}

/** "NamespaceContentRemaining: …" for each condition that is True in the status the plan writes. */
function said(plan: Plan): readonly string[] {
  const status = operations(plan).find((operation) => operation.do === "status")
  if (status?.do !== "status") return []
  const { conditions = [] } = status.status as NamespaceStatus
  return conditions.filter((condition) => condition.status === "True").map(({ type, message }) => `${type}: ${message}`)
}

describe("what is deleted", () => {
  test.each<[name: string, content: Content, expected: readonly string[]]>([
    [
      "everything of a resource at once",
      content([some(configMaps, {}, {}), some(secrets, {})]),
      ["delete all ConfigMap in shop", "delete all Secret in shop"],
    ],
    ["what is on its way out is not told again", content([some(configMaps, going)]), ["write the status of Namespace shop"]],
    [
      "one by one where the server cannot delete all at once",
      content([some({ ...configMaps, verbs: ["list", "delete"] }, {}, going, {})]),
      ["delete ConfigMap shop/configmap-0", "delete ConfigMap shop/configmap-2", "write the status of Namespace shop"],
    ],
  ])("%s", (_name, found, expected) => {
    expect(described(decide({ namespace: namespace(), content: found }, context))).toEqual(expected)
  })

  test("in the background, with the reason", () => {
    expect(operations(decide({ namespace: namespace(), content: content([some(configMaps, {}, {})]) }, context))).toMatchObject([
      { options: { propagationPolicy: "Background" }, reason: "the namespace is deleted and has 2 configmaps" },
    ])
  })

  test("sets the phase where the server has not", () => {
    const plan = decide({ namespace: namespace(undefined, { phase: "Active" }), content: content([some(secrets, {})]) }, context)
    expect(operations(plan)).toMatchObject([{ do: "deleteCollection" }, { do: "status", status: { phase: "Terminating" } }])
  })
})

describe("FinalizeNamespaceFunc", () => {
  test("an empty namespace loses our finalizer, and only ours", () => {
    const [finalize, ...others] = operations(
      decide({ namespace: namespace(["kubernetes", "example.com/theirs"]), content: content([]) }, context),
    )
    expect(others).toEqual([])
    expect(finalize).toMatchObject({
      do: "update",
      subresource: "finalize",
      object: { metadata: { uid: "ns-1", resourceVersion: "3" }, spec: { finalizers: ["example.com/theirs"] } },
      reason: "the namespace is empty",
    })
  })

  test("what can be deleted but not seen is deleted before", () => {
    const plan = decide({ namespace: namespace(), content: content([], { unlistable: [secrets] }) }, context)
    expect(plan.steps.map((step) => step.operations.map(({ do: what }) => what))).toEqual([["deleteCollection"], ["update"]])
  })

  test("with another finalizer left the namespace stays and reports it, once", () => {
    const waiting = namespace(["example.com/theirs"])
    const plan = decide({ namespace: waiting }, context)
    expect(plan.waitingFor).toEqual(["the finalizers example.com/theirs"])
    expect(said(plan)).toEqual([
      "NamespaceFinalizersRemaining: The namespace is empty and waits for finalizers of its own: example.com/theirs",
    ])
    const [written] = operations(plan)
    const status = written?.do === "status" ? (written.status as NamespaceStatus) : undefined
    expect(operations(decide({ namespace: namespace(["example.com/theirs"], status) }, later))).toEqual([])
  })

  test("one that has no finalizers at all is left to the server", () => {
    expect(decide({ namespace: namespace([]) }, context).steps).toEqual([])
  })
})

describe("UpdateConditions, ProcessContentTotals: what keeps the namespace", () => {
  const held = { ...going, finalizers: ["example.com/held"] }
  test.each<[name: string, content: Content, expected: readonly string[]]>([
    [
      "finalizers",
      content([some(configMaps, held, held), some(deployments, { ...going, finalizers: ["example.com/held", "foregroundDeletion"] })]),
      [
        "NamespaceContentRemaining: Some resources are remaining: configmaps. has 2 resource instances, deployments.apps has 1 resource instances",
        "NamespaceFinalizersRemaining: Some content in the namespace has finalizers remaining: example.com/held in 3 resource instances, foregroundDeletion in 1 resource instances",
      ],
    ],
    [
      "pods that stop",
      content([pod(going, 30)]),
      ["NamespaceContentRemaining: Some resources are remaining: pods. has 1 resource instances"],
    ],
    [
      "content without a known cause",
      content([some(configMaps, going)]),
      [
        "NamespaceDeletionContentFailure: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: shop for gvr: /v1, Resource=configmaps",
        "NamespaceContentRemaining: Some resources are remaining: configmaps. has 1 resource instances",
      ],
    ],
    [
      "a group that does not answer",
      content([], {
        failed: [{ groupVersion: "metrics.k8s.io/v1beta1", message: "the server is currently unable to handle the request" }],
      }),
      [
        "NamespaceDeletionDiscoveryFailure: Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is currently unable to handle the request",
      ],
    ],
    [
      "a resource that cannot be listed",
      content([], { unreadable: ["widgets.example.com: conversion failed"] }),
      ["NamespaceDeletionContentFailure: Failed to delete all resource types, 1 remaining: widgets.example.com: conversion failed"],
    ],
    ["nothing is said of what is deleted for the first time now", content([some(configMaps, {})]), []],
  ])("%s", (_name, found, expected) => {
    expect(said(decide({ namespace: namespace(), content: found }, context))).toEqual(expected)
  })

  test("all five conditions are there, and only what changed is written again", () => {
    const found = content([some(configMaps, held)])
    const [written] = operations(decide({ namespace: namespace(), content: found }, context))
    if (written?.do !== "status") throw new Error("expected a status")
    const status = written.status as NamespaceStatus
    expect(status.conditions?.map(({ type, status: value, reason }) => `${type} ${value} ${reason}`)).toEqual([
      "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered",
      "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions",
      "NamespaceDeletionContentFailure False ContentDeleted",
      "NamespaceContentRemaining True SomeResourcesRemain",
      "NamespaceFinalizersRemaining True SomeFinalizersRemain",
    ])
    expect(operations(decide({ namespace: namespace(undefined, status), content: found }, later))).toEqual([])
  })

  test("SyncNamespaceThatIsTerminating with discovery errors: what is known is deleted all the same", () => {
    const found = content([some(configMaps, {})], { failed: [{ groupVersion: "a/v1", message: "down" }] })
    expect(described(decide({ namespace: namespace(), content: found }, context))[0]).toBe("delete all ConfigMap in shop")
  })
})

describe("the next requeue", () => {
  const held = { ...going, finalizers: ["example.com/held"] }
  test.each<[name: string, content: Content, now: number, expected: number]>([
    ["after half the grace of the pods and a second", content([pod(going, 30)]), context.now, 16_000],
    ["a pod that has finished needs none", content([pod({ ...going, finalizers: ["a/b"] }, 30, "Succeeded")]), context.now, 8000],
    ["once their time is over pods are nothing special", content([pod(going, 30)]), later.now, 20_000],
    ["finalizers get fifteen seconds", content([some(secrets, held)]), later.now, 8000],
    ["soon after something was deleted", content([some(secrets, {})]), context.now, 3000],
    [
      "more and more rarely while a group does not answer",
      content([], { failed: [{ groupVersion: "a/v1", message: "" }] }),
      later.now,
      20_000,
    ],
    ["but every minute", content([], { unreadable: ["x"] }), deletedAt + 3_600_000, 60_000],
  ])("%s", (_name, found, now, expected) => {
    expect(decide({ namespace: namespace(), content: found }, { ...context, now }).requeue?.after).toBe(expected)
  })
})

test("at the latest after the sync period", () => {
  const found = content([], { unreadable: ["x"] })
  expect(decide({ namespace: namespace(), content: found }, { now: later.now, syncPeriod: 7000 }).requeue?.after).toBe(7000)
})

describe("settle", () => {
  const found = content([some(configMaps, {}, {})])
  const observed = { namespace: namespace(), content: found }
  const planned = operations(decide(observed, context))

  test("a server that will not delete all at once is asked for each", () => {
    const results: readonly Result[] = [
      { operation: planned[0]!, ok: false, error: methodNotAllowed({ plural: "configmaps", group: "" }, "deletecollection") },
    ]
    expect(described(settle(observed, results, context))).toEqual([
      "delete ConfigMap shop/configmap-0",
      "delete ConfigMap shop/configmap-1",
    ])
  })

  test("what could not be deleted is said, on top of what was just written", () => {
    const after: Namespace = { ...namespace(), metadata: { ...namespace().metadata, resourceVersion: "4" } }
    const results: readonly Result[] = [
      { operation: planned[0]!, ok: false, error: serviceUnavailable("etcd is on holiday") },
      { operation: { do: "status", object: namespace(), status: {}, reason: "" }, ok: true, object: after },
    ]
    const plan = settle(observed, results, context)
    expect(said(plan)).toEqual(["NamespaceDeletionContentFailure: Failed to delete all resource types, 1 remaining: etcd is on holiday"])
    expect(operations(plan)).toMatchObject([{ object: { metadata: { resourceVersion: "4" } } }])
  })

  test("nothing more on success, and a requeue to check whether it is gone", () => {
    const settled = settle(observed, [{ operation: planned[0]!, ok: true }], context)
    expect({ steps: settled.steps, after: settled.requeue?.after }).toEqual({ steps: [], after: 120 })
  })

  test("a server that says again and again that it has deleted what stays is asked more and more rarely", () => {
    expect(settle(observed, [{ operation: planned[0]!, ok: true }], later).requeue?.after).toBe(800)
  })
})
