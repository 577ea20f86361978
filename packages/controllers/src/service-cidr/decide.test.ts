import type { ServiceCIDR } from "@pilothouse/api/networking/v1"
import { describe, expect, test } from "vitest"
import { operationsOf } from "../service-endpoints/testing/objects.ts"
import { decide, finalizer, settle } from "./decide.ts"
import { areContained, hasHost, overlap, rangesOf } from "./observe.ts"

const now = Date.parse("2026-01-05T09:00:00Z")
const random = undefined as never
const ready = {
  type: "Ready",
  status: "True",
  reason: "",
  message: "Kubernetes Service CIDR is ready",
  lastTransitionTime: "2026-01-01T00:00:00Z",
}
const terminating = "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR"

function cidr(
  more: { readonly finalizers?: readonly string[]; readonly deleted?: string; readonly conditions?: readonly object[] } = {},
): ServiceCIDR {
  const { finalizers = [finalizer], deleted, conditions } = more
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "more", finalizers, ...(deleted !== undefined && { deletionTimestamp: deleted }) },
    spec: { cidrs: ["10.1.0.0/24"] },
    ...(conditions !== undefined && { status: { conditions: conditions as never } }),
  }
}

function planned(of: ServiceCIDR, blockedBy?: string) {
  const plan = decide({ cidr: of, blockedBy }, { now, random })
  const written = operationsOf(plan).map((operation) => {
    if (operation.do === "apply") {
      const [condition] = (operation.object as ServiceCIDR).status?.conditions ?? []
      return `apply ${operation.subresource} ${condition?.status} ${condition?.reason} ${condition?.message}`.replaceAll("  ", " ")
    }
    return "object" in operation ? `${operation.do} ${(operation.object.metadata.finalizers ?? []).join()}` : operation.do
  })
  return { written, requeue: plan.requeue?.after }
}

describe("a ServiceCIDR that the API server has just made", () => {
  const made = (ago: number, more: Parameters<typeof cidr>[0]) => {
    const of = cidr({ finalizers: [], ...more })
    return { ...of, metadata: { ...of.metadata, creationTimestamp: new Date(now - ago).toISOString() } }
  }

  test("Ready: is taken over two seconds after it came", () => {
    expect(planned(made(0, { conditions: [ready] }))).toEqual({ written: [], requeue: 2000 })
    expect(planned(made(1500, { conditions: [ready] }))).toEqual({ written: [], requeue: 500 })
    expect(planned(made(2000, { conditions: [ready] })).written).toEqual([`update ${finalizer}`])
  })

  test("without the condition, or with a finalizer and other words: at once", () => {
    expect(planned(made(0, {})).written).toHaveLength(2)
    const other = { ...ready, message: "Kubernetes default Service CIDR is ready" }
    expect(planned(made(0, { finalizers: [finalizer], conditions: [other] })).written).toHaveLength(1)
  })
})

describe("a ServiceCIDR", () => {
  test.each([
    {
      name: "that is new has the finalizer and the condition",
      of: cidr({ finalizers: [] }),
      written: [`update ${finalizer}`, "apply status True Kubernetes Service CIDR is ready"],
    },
    {
      name: "keeps the finalizers of others",
      of: cidr({ finalizers: ["example.com/mine"], conditions: [ready] }),
      written: [`update example.com/mine,${finalizer}`],
    },
    { name: "with the finalizer only has the condition", of: cidr(), written: ["apply status True Kubernetes Service CIDR is ready"] },
    { name: "that is ready is left alone", of: cidr({ conditions: [ready] }), written: [] },
    { name: "without a reason in its condition is left alone", of: cidr({ conditions: [{ ...ready, reason: undefined }] }), written: [] },
    {
      name: "that the API server said is ready has this controller's words",
      of: cidr({ conditions: [{ ...ready, message: "Kubernetes default Service CIDR is ready" }] }),
      written: ["apply status True Kubernetes Service CIDR is ready"],
    },
  ])("$name", ({ of, written }) => expect(planned(of).written).toEqual(written))
})

describe("a deleted ServiceCIDR", () => {
  const deleted = "2026-01-05T08:59:55Z"
  test.each([
    {
      name: "that a Service has an address of says so",
      of: cidr({ deleted, conditions: [ready] }),
      blockedBy: "10.1.0.7",
      written: [`apply status False Terminating ${terminating}`],
      requeue: 30_000,
    },
    {
      name: "that says so is looked at again later",
      of: cidr({ deleted, conditions: [{ ...ready, status: "False", reason: "Terminating", message: terminating }] }),
      blockedBy: "10.1.0.7",
      written: [],
      requeue: 30_000,
    },
    { name: "without such an address is kept for ten seconds", of: cidr({ deleted }), blockedBy: undefined, written: [], requeue: 5000 },
    {
      name: "loses the finalizer when they are over",
      of: cidr({ deleted: "2026-01-05T08:59:50Z" }),
      blockedBy: undefined,
      written: ["update "],
      requeue: undefined,
    },
    {
      name: "keeps the finalizers of others",
      of: cidr({ deleted: "2026-01-05T08:59:00Z", finalizers: ["example.com/mine", finalizer] }),
      blockedBy: undefined,
      written: ["update example.com/mine"],
      requeue: undefined,
    },
    {
      name: "without the finalizer is left alone",
      of: cidr({ deleted: "2026-01-05T08:59:00Z", finalizers: ["example.com/mine"] }),
      blockedBy: undefined,
      written: [],
      requeue: undefined,
    },
  ])("$name", ({ of, blockedBy, written, requeue }) => expect(planned(of, blockedBy)).toEqual({ written, requeue }))
})

test("a condition that is refused is reported, that of a deleted one is not", () => {
  const results = (of: ServiceCIDR) =>
    operationsOf(decide({ cidr: of, blockedBy: "10.1.0.7" }, { now, random })).map((operation) => ({
      ok: false as const,
      operation,
      error: new Error("no"),
    }))
  const events = (of: ServiceCIDR) =>
    settle({ cidr: of, blockedBy: undefined }, results(of)).events.map(({ reason, message }) => `${reason}: ${message}`)
  expect(events(cidr())).toEqual(["KubernetesServiceCIDRError: The ServiceCIDR Status can not be set to Ready=True"])
  expect(events(cidr({ deleted: "2026-01-05T08:59:00Z" }))).toEqual([])
})

describe("ranges", () => {
  const ranges = (...cidrs: readonly string[]) => rangesOf({ ...cidr(), spec: { cidrs } })
  test.each([
    { range: "10.1.0.0/24", address: "10.1.0.0", has: false },
    { range: "10.1.0.0/24", address: "10.1.0.1", has: true },
    { range: "10.1.0.0/24", address: "10.1.0.254", has: true },
    { range: "10.1.0.0/24", address: "10.1.0.255", has: false },
    { range: "10.1.0.0/24", address: "10.1.1.1", has: false },
    { range: "fd00::/120", address: "fd00::", has: false },
    { range: "fd00::/120", address: "fd00::ff", has: true },
    { range: "10.1.0.0/24", address: "fd00::1", has: false },
    { range: "10.1.0.0/24", address: "not-an-address", has: false },
  ])("$range has $address: $has", ({ range, address, has }) => expect(hasHost(ranges(range), address)).toBe(has))

  test.each([
    { one: ["10.1.0.0/24"], others: ["10.1.0.0/24"], contained: true, shared: true },
    { one: ["10.1.0.0/24"], others: ["10.0.0.0/8"], contained: true, shared: true },
    { one: ["10.0.0.0/8"], others: ["10.1.0.0/24"], contained: false, shared: true },
    { one: ["10.1.0.0/24", "fd00::/112"], others: ["10.0.0.0/8"], contained: false, shared: true },
    { one: ["10.1.0.0/24", "fd00::/112"], others: ["10.0.0.0/8", "fd00::/108"], contained: true, shared: true },
    { one: ["10.1.0.0/24"], others: ["10.2.0.0/24", "fd00::/108"], contained: false, shared: false },
    { one: ["10.1.0.0/24"], others: [], contained: false, shared: false },
  ])("$one in $others: $contained", ({ one, others, contained, shared }) => {
    expect(areContained(ranges(...one), ranges(...others))).toBe(contained)
    expect(overlap(ranges(...one), ranges(...others))).toBe(shared)
  })
})
