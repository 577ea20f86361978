import type { EndpointSubset, Endpoints, Pod, Service } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { created, operationsOf, webPod, webPods, webService, writesOf } from "../service-endpoints/testing/objects.ts"
import { decide } from "./decide.ts"
import { truncate } from "./subsets.ts"

const key = { namespace: "default", name: "web" }
const triggerTime = "endpoints.kubernetes.io/last-change-trigger-time"
const overCapacity = "endpoints.kubernetes.io/over-capacity"

function stored(service: Service, pods: readonly Pod[], more: Partial<Endpoints> = {}): Endpoints {
  const [made] = writesOf<Endpoints>(decide({ key, service, pods }))
  if (made === undefined) throw new Error("expected Endpoints to be created")
  return { ...made, ...more, metadata: { ...made.metadata, uid: "e-1", resourceVersion: "5", ...more.metadata } }
}

const twoPorts = webService({
  ports: [
    { name: "a", port: 80, targetPort: 8080 },
    { name: "b", port: 81, targetPort: 8081 },
  ],
})

describe("no write that changes nothing", () => {
  const pods = webPods(3)
  test.each<[name: string, endpoints: Endpoints, pods: readonly Pod[]]>([
    ["ItemsPreexistingIdentical", stored(twoPorts, pods), pods],
    ["ExistingNilSubsets", stored(twoPorts, []), []],
    ["ExistingEmptySubsets", stored(twoPorts, [], { subsets: [] }), []],
    ["ItemsPreexistingIdenticalUnsorted", stored(twoPorts, pods, { subsets: shuffled(stored(twoPorts, pods).subsets ?? []) }), pods],
    ["WithPodResourceVersionUpdateOnly", stored(twoPorts, pods, { subsets: versioned(stored(twoPorts, pods).subsets ?? []) }), pods],
    [
      "a pod that says more of itself",
      stored(twoPorts, pods),
      [{ ...webPod(1), spec: { ...webPod(1).spec!, priority: 5 } }, ...pods.slice(1)],
    ],
    ["Endpoints that upstream made, without our record", withoutRecord(stored(webService({}, { labels: { a: "b" } }), pods)), pods],
  ])("%s", (name, endpoints, selected) => {
    const service = name.includes("upstream") ? webService({}, { labels: { a: "b" } }) : twoPorts
    const plan = decide({ key, service, endpoints, pods: selected })
    expect(operationsOf(plan)).toEqual([])
    expect(plan.summary).toBe(`${selected.length} addresses, all listed`)
  })

  test("NewNoSubsets: a Service without pods gets empty Endpoints", () => {
    const made = stored(webService(), [])
    expect(made.subsets).toBeUndefined()
  })
})

/** Split up and turned round, as upstream's hashes may have it. */
function shuffled(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  return subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.map((port) => ({ addresses: [...addresses].reverse(), ports: [port] })).reverse(),
  )
}

function versioned(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  return subsets.map((subset) => ({
    ...subset,
    addresses: subset.addresses?.map((address) => ({ ...address, targetRef: { ...address.targetRef, resourceVersion: "99" } })),
  }))
}

function withoutRecord(endpoints: Endpoints): Endpoints {
  return { ...endpoints, metadata: { ...endpoints.metadata, annotations: {} } }
}

describe("an update", () => {
  test("Items, ItemsPreexisting: keeps what others keep in annotations, and says what changed", () => {
    const endpoints = stored(webService(), webPods(1), { metadata: { annotations: { "openstack.org/kuryr-lbaas-spec": "{}" } } })
    const plan = decide({ key, service: webService(), endpoints, pods: webPods(2) })
    const [next] = writesOf<Endpoints>(plan, "update")
    expect(next?.metadata.annotations).toMatchObject({ "openstack.org/kuryr-lbaas-spec": "{}" })
    expect(next?.metadata.resourceVersion).toBe("5")
    expect(operationsOf(plan)[0]?.reason).toBe("1 addresses are listed, 2 should be")
  })

  test("AddDeletePorts", () => {
    const endpoints = stored(twoPorts, webPods(1))
    const ports = [
      { name: "b", port: 81, targetPort: 8081 },
      { name: "c", port: 82, targetPort: 8082 },
    ]
    const [next] = writesOf<Endpoints>(decide({ key, service: webService({ ports }), endpoints, pods: webPods(1) }))
    expect(next?.subsets?.map((subset) => subset.ports?.map(({ name }) => name))).toEqual([["b", "c"]])
  })

  test("two pods of the host's network share an address and stay two", () => {
    const pods = [webPod(1, { ips: ["10.240.0.1"] }), webPod(2, { ips: ["10.240.0.1"], ready: false })]
    const [subset] = stored(webService(), pods).subsets ?? []
    expect([subset?.addresses?.length, subset?.notReadyAddresses?.length]).toEqual([1, 1])
  })
})

describe("LastTriggerChangeTimeAnnotation", () => {
  const [early, late] = ["2026-01-05T08:40:00Z", "2026-01-05T08:50:00Z"]
  const annotated = (endpoints: Endpoints | undefined, pods: readonly Pod[]) => {
    const [next] = writesOf<Endpoints>(decide({ key, service: webService(), endpoints, pods }))
    return next?.metadata.annotations?.[triggerTime]
  }

  test("the first Endpoints: when the Service was made", () => {
    expect(annotated(undefined, webPods(1))).toBe(created)
  })

  test("AnnotationOverridden: the earliest of the pods that changed", () => {
    const pods = [webPod(1), webPod(2, { readySince: late }), webPod(3, { ready: false, readySince: early })]
    expect(annotated(stored(webService(), [webPod(1), webPod(3)]), pods)).toBe(early)
  })

  test("AnnotationCleared: a pod that is gone leaves no time", () => {
    expect(annotated(stored(webService(), webPods(2)), webPods(1))).toBeUndefined()
  })
})

describe("SyncServiceOverCapacity", () => {
  const some = (ready: number, notReady: number): readonly Pod[] => [
    ...webPods(ready),
    ...Array.from({ length: notReady }, (_, at) => webPod(2001 + at, { ready: false })),
  ]
  test.each<
    [name: string, pods: readonly Pod[], said: string | undefined, expected: readonly [number, number], wanted: string | undefined]
  >([
    ["empty", [], undefined, [0, 0], undefined],
    ["annotation added past capacity, < than maxCapacity of Ready Addresses", some(999, 11), undefined, [999, 1], "truncated"],
    ["annotation added past capacity, maxCapacity of Ready Addresses", some(1000, 10), undefined, [1000, 0], "truncated"],
    ["annotation removed below capacity", some(999, 0), "truncated", [999, 0], undefined],
    ["annotation was set to warning previously, annotation removed at capacity", some(1000, 0), "warning", [1000, 0], undefined],
    ["annotation was set to warning previously but still over capacity", some(1001, 0), "warning", [1000, 0], "truncated"],
    ["annotation removed at capacity", some(1000, 0), "truncated", [1000, 0], undefined],
    ["no endpoints change, annotation value corrected", some(1001, 0), "wrong", [1000, 0], "truncated"],
  ])("%s", (_name, pods, said, [ready, notReady], wanted) => {
    const before = stored(webService(), said === "wrong" ? pods : [], {
      metadata: said === undefined ? {} : { annotations: { [overCapacity]: said } },
    })
    const plan = decide({ key, service: webService(), endpoints: before, pods })
    const next = writesOf<Endpoints>(plan)[0] ?? before
    const count = (kind: "addresses" | "notReadyAddresses") =>
      (next.subsets ?? []).reduce((sum, subset) => sum + (subset[kind]?.length ?? 0), 0)
    expect([count("addresses"), count("notReadyAddresses")]).toEqual([ready, notReady])
    expect(next.metadata.annotations?.[overCapacity]).toBe(wanted)
  })

  test("truncated Endpoints are not written again", () => {
    const service = webService({ ports: twoPorts.spec?.ports })
    const pods = some(1500, 3)
    const endpoints = stored(service, pods)
    expect(operationsOf(decide({ key, service, endpoints, pods }))).toEqual([])
  })
})

describe("TruncateEndpoints", () => {
  const subset = (ready: number, notReady: number): EndpointSubset => ({
    addresses: Array.from({ length: ready }, (_, at) => ({ ip: `r${at}` })),
    notReadyAddresses: Array.from({ length: notReady }, (_, at) => ({ ip: `n${at}` })),
  })
  test.each<[name: string, before: readonly (readonly [number, number])[], after: readonly (readonly [number, number])[]]>([
    ["empty", [], []],
    [
      "total endpoints < max capacity",
      [
        [50, 100],
        [100, 100],
      ],
      [
        [50, 100],
        [100, 100],
      ],
    ],
    [
      "total endpoints = max capacity",
      [
        [100, 100],
        [400, 400],
      ],
      [
        [100, 100],
        [400, 400],
      ],
    ],
    [
      "total ready endpoints < max capacity, but total endpoints > max capacity",
      [
        [500, 500],
        [110, 200],
        [100, 100],
        [100, 100],
      ],
      [
        [500, 106],
        [110, 43],
        [100, 22],
        [100, 19],
      ],
    ],
    [
      "total ready endpoints > max capacity",
      [
        [205, 0],
        [110, 0],
        [400, 0],
        [500, 0],
      ],
      [
        [169, 0],
        [91, 0],
        [330, 0],
        [410, 0],
      ],
    ],
  ])("%s", (_name, before, after) => {
    const cut = truncate(before.map(([ready, notReady]) => subset(ready, notReady)))
    expect(cut.map(({ addresses = [], notReadyAddresses = [] }) => [addresses.length, notReadyAddresses.length])).toEqual(after)
  })
})
