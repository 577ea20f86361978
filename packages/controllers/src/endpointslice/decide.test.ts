import type { Node, Pod, Service } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointSlice } from "@pilothouse/api/discovery/v1"
import { describe, expect, test } from "vitest"
import {
  created,
  operationsOf,
  type PodFacts,
  readyNode,
  webPod,
  webPods,
  webService,
  writesOf,
} from "../service-endpoints/testing/objects.ts"
import { counted, existing, planFor, sizes, slicesAfter } from "./testing/slices.ts"

const managed = { "kubernetes.io/service-name": "web", "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io" }
const headless = { "service.kubernetes.io/headless": "" }

function endpointsFor(service: Service, pods: readonly Pod[], nodes?: readonly Node[]): readonly Endpoint[] {
  return slicesAfter({ service, pods, nodes }).flatMap((slice) => slice.endpoints ?? [])
}

describe("Reconcile1Pod: what a slice says", () => {
  test("a ready pod", () => {
    const [slice] = slicesAfter({ pods: [webPod(1)], nodes: [readyNode("node-1", "zone-a")] })
    expect(slice).toMatchObject({
      addressType: "IPv4",
      metadata: {
        generateName: "web-",
        namespace: "default",
        labels: managed,
        annotations: { "endpoints.kubernetes.io/last-change-trigger-time": created },
        ownerReferences: [{ apiVersion: "v1", kind: "Service", name: "web", uid: "s-1", controller: true, blockOwnerDeletion: true }],
      },
      ports: [{ name: "", port: 8080, protocol: "TCP" }],
      endpoints: [
        {
          addresses: ["10.244.1.1"],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: "node-1",
          zone: "zone-a",
          targetRef: { kind: "Pod", namespace: "default", name: "web-1", uid: "p-1" },
        },
      ],
    })
  })

  test.each<[name: string, pod: PodFacts, publish: boolean, expected: Endpoint["conditions"]]>([
    ["Ready pod", {}, false, { ready: true, serving: true, terminating: false }],
    ["Ready pod + publishNotReadyAddresses", {}, true, { ready: true, serving: true, terminating: false }],
    ["Unready pod", { ready: false }, false, { ready: false, serving: false, terminating: false }],
    ["Unready pod + publishNotReadyAddresses", { ready: false }, true, { ready: true, serving: false, terminating: false }],
    ["Ready terminating pod", { deleting: true }, false, { ready: false, serving: true, terminating: true }],
    ["Not ready terminating pod", { deleting: true, ready: false }, false, { ready: false, serving: false, terminating: true }],
  ])("conditions: %s", (_name, pod, publishNotReadyAddresses, expected) => {
    expect(endpointsFor(webService({ publishNotReadyAddresses }), [webPod(1, pod)])[0]?.conditions).toEqual(expected)
  })

  test("Ready pod + hostname", () => {
    const pods = [webPod(1, { spec: { hostname: "first", subdomain: "web" } }), webPod(2, { spec: { hostname: "second" } })]
    expect(endpointsFor(webService(), pods).map(({ hostname }) => hostname)).toEqual(["first", undefined])
  })

  test("Ready and Complete pods with same IPs: only the one that runs is listed", () => {
    const pods = [webPod(1, { ips: ["10.0.0.1"] }), webPod(2, { ips: ["10.0.0.1"], phase: "Succeeded", ready: false })]
    expect(endpointsFor(webService(), pods).map(({ targetRef }) => targetRef?.name)).toEqual(["web-1"])
  })

  test("Two Ready pods with same IPs: both are listed", () => {
    const pods = [webPod(1, { ips: ["10.0.0.1"] }), webPod(2, { ips: ["10.0.0.1"] })]
    expect(endpointsFor(webService(), pods)).toHaveLength(2)
  })
})

describe("SupportedServiceAddressType: one set of slices for each family", () => {
  const dual = { ips: ["10.0.0.1", "fd00::1"] }
  test.each<[name: string, spec: Partial<Service["spec"]>, expected: readonly string[]]>([
    ["v4 service", { ipFamilies: ["IPv4"] }, ["IPv4 10.0.0.1"]],
    ["v6 services", { ipFamilies: ["IPv6"] }, ["IPv6 fd00::1"]],
    ["v4,v6 service", { ipFamilies: ["IPv4", "IPv6"] }, ["IPv4 10.0.0.1", "IPv6 fd00::1"]],
    ["v6,v4 service", { ipFamilies: ["IPv6", "IPv4"] }, ["IPv6 fd00::1", "IPv4 10.0.0.1"]],
    ["v4 service with no ip families (cluster upgrade)", { ipFamilies: undefined, clusterIP: "10.96.0.1" }, ["IPv4 10.0.0.1"]],
    ["v6 service with no ip families (cluster upgrade)", { ipFamilies: undefined, clusterIP: "fd00:1::1" }, ["IPv6 fd00::1"]],
    [
      "headless with selector and no families (old api-server)",
      { ipFamilies: undefined, clusterIP: "None" },
      ["IPv4 10.0.0.1", "IPv6 fd00::1"],
    ],
    ["headless with selector with families", { ipFamilies: ["IPv4"], clusterIP: "None" }, ["IPv4 10.0.0.1"]],
  ])("%s", (_name, spec, expected) => {
    const slices = slicesAfter({ service: webService(spec), pods: [webPod(1, dual)] })
    expect(slices.map((slice) => `${slice.addressType} ${slice.endpoints?.[0]?.addresses.join()}`)).toEqual(expected)
  })

  test("slices of a family that the Service no longer has go", () => {
    const slices = existing(webService({ ipFamilies: ["IPv6"] }), [webPod(1, dual)])
    const after = slicesAfter({ slices, pods: [webPod(1, dual)] })
    expect(after.map((slice) => slice.addressType)).toEqual(["IPv4"])
  })
})

describe("ReconcileEmpty, Reconcile1EndpointSlice: the placeholder", () => {
  test("No existing placeholder: one empty slice without ports", () => {
    expect(slicesAfter({})).toMatchObject([{ addressType: "IPv4", endpoints: [], ports: [] }])
  })

  test("Existing placeholder that's the same: no write", () => {
    expect(counted({ slices: slicesAfter({}) })).toBe("0 create, 0 update, 0 delete")
  })

  test("Existing placeholder that's different: it is made into the right one", () => {
    const slices = slicesAfter({ service: webService({}, { labels: { foo: "bar" } }) })
    expect(counted({ slices })).toBe("0 create, 1 update, 0 delete")
    expect(slicesAfter({ slices })[0]?.metadata.labels).toEqual(managed)
  })

  test("the last endpoint goes: its slice becomes the placeholder", () => {
    const slices = existing(webService(), [webPod(1)])
    expect(counted({ slices })).toBe("0 create, 1 update, 0 delete")
    expect(slicesAfter({ slices })).toMatchObject([{ metadata: { name: "web-1" }, endpoints: [], ports: [] }])
  })

  test("ReconcileHeadlessServiceNoPorts: pods are listed without ports", () => {
    const [slice] = slicesAfter({ service: webService({ clusterIP: "None", ports: undefined }), pods: [webPod(1)] })
    expect(slice).toMatchObject({
      ports: [],
      endpoints: [{ addresses: ["10.244.1.1"] }],
      metadata: { labels: { ...managed, ...headless } },
    })
  })
})

describe("labels", () => {
  const labelled = (labels: Record<string, string>, spec: Partial<Service["spec"]> = {}) => webService(spec, { labels })

  test.each<[name: string, service: Service, expected: Record<string, string>]>([
    ["Service without labels", webService(), managed],
    ["Service with multiple labels", labelled({ foo: "bar", foo2: "bar2" }), { foo: "bar", foo2: "bar2", ...managed }],
    ["Headless Service with labels", labelled({ foo: "bar" }, { clusterIP: "None" }), { foo: "bar", ...headless, ...managed }],
    ["Non Headless service with Headless label", labelled({ ...headless }), managed],
    [
      "Evil service hijacking endpoint slices labels",
      labelled({ "kubernetes.io/service-name": "theirs", "endpointslice.kubernetes.io/managed-by": "mine" }),
      managed,
    ],
  ])("%s", (_name, service, expected) => {
    expect(slicesAfter({ service })[0]?.metadata.labels).toEqual(expected)
  })

  test("ServicesLabelsUpdating: a change of the Service's labels is the only change of each slice", () => {
    const slices = existing(webService(), webPods(3))
    const situation = { service: labelled({ foo: "bar" }), pods: webPods(3), slices }
    expect(counted(situation)).toBe("0 create, 1 update, 0 delete")
    expect(slicesAfter(situation)[0]?.endpoints).toEqual(slices[0]?.endpoints)
  })

  test("ServicesReservedLabels: a change of labels that are not copied is no change", () => {
    const slices = existing(webService(), webPods(3))
    expect(counted({ service: labelled({ ...headless, ...managed, "kubernetes.io/service-name": "x" }), pods: webPods(3), slices })).toBe(
      "0 create, 0 update, 0 delete",
    )
  })

  test("what others keep in labels and annotations stays, what the Service loses goes", () => {
    const [slice] = existing(labelled({ foo: "bar" }), webPods(1))
    const theirs = {
      ...slice!,
      metadata: {
        ...slice!.metadata,
        labels: { ...slice!.metadata.labels, theirs: "1" },
        annotations: { ...slice!.metadata.annotations, state: "{}" },
      },
    }
    const [after] = slicesAfter({ pods: webPods(2), slices: [theirs] })
    expect(after?.metadata.labels).toEqual({ theirs: "1", ...managed })
    expect(after?.metadata.annotations?.state).toBe("{}")
    expect(after?.endpoints).toHaveLength(2)
  })

  test("a slice that upstream made: what the Service lost goes with the first write, and from then on what others add stays", () => {
    const [{ metadata, ...rest }] = existing(labelled({ foo: "bar", old: "1" }), webPods(1)) as [EndpointSlice]
    const situation = { service: labelled({ foo: "bar" }), pods: webPods(1) }
    const [after] = slicesAfter({ ...situation, slices: [{ ...rest, metadata: { ...metadata, annotations: {} } }] })
    expect(after?.metadata.labels).toEqual({ foo: "bar", ...managed })
    const theirs = { ...after!, metadata: { ...after!.metadata, labels: { ...after!.metadata.labels, theirs: "1" } } }
    expect(counted({ ...situation, slices: [theirs] })).toBe("0 create, 0 update, 0 delete")
  })

  test("what others add stays where the Service has no labels too", () => {
    const [slice] = existing(webService(), webPods(1))
    const theirs = { ...slice!, metadata: { ...slice!.metadata, labels: { ...slice!.metadata.labels, theirs: "1" } } }
    expect(counted({ pods: webPods(1), slices: [theirs] })).toBe("0 create, 0 update, 0 delete")
  })
})

describe("the Service decides whether there is anything to do", () => {
  test.each<[name: string, service: Service]>([
    ["SyncServiceNoSelector", webService({ selector: undefined })],
    ["External name with selector and ports should not receive endpoint slices", webService({ type: "ExternalName" })],
    ["External name with ports should not receive endpoint slices", webService({ type: "ExternalName", selector: undefined })],
    ["External name with selector should not receive endpoint slices", webService({ type: "ExternalName", ports: undefined })],
  ])("%s", (_name, service) => {
    expect(counted({ service, slices: existing(webService(), webPods(1)) })).toBe("0 create, 0 update, 0 delete")
  })
})

describe("FinalizeSvcDeletionTimestamp", () => {
  const deleting = webService({}, { deletionTimestamp: created })
  const [first, second] = existing(webService(), webPods(2), [webPod(3)])
  // The first pod changes, so that its slice is written; of the others only one has room in it.
  const five = webPods(5).map((pod, at) => (at === 0 ? webPod(1, { ready: false }) : pod))
  test.each([
    {
      name: "Attempt create and update, nil deletion timestamp",
      service: webService(),
      slices: [first!],
      pods: five,
      expected: "1 create, 1 update, 0 delete",
    },
    {
      name: "Attempt create and update, deletion timestamp set",
      service: deleting,
      slices: [first!],
      pods: five,
      expected: "0 create, 1 update, 0 delete",
    },
    {
      name: "Attempt update delete, deletion timestamp set",
      service: deleting,
      slices: [first!, second!],
      pods: webPods(1),
      expected: "0 create, 1 update, 1 delete",
    },
  ])("$name", ({ service, slices, pods, expected }) => {
    expect(counted({ service, slices, pods, max: 3 })).toBe(expected)
  })
})

describe("PodMissingNode", () => {
  const pods = [webPod(1), webPod(2, { node: "lost" })]

  test("Create and publishNotReady false: the pod is left out, with an event", () => {
    const plan = planFor({ pods })
    expect(writesOf<EndpointSlice>(plan).flatMap((slice) => slice.endpoints?.map(({ targetRef }) => targetRef?.name))).toEqual(["web-1"])
    expect(plan.waitingFor).toEqual(["the node lost"])
    expect(plan.events).toMatchObject([
      {
        type: "Warning",
        reason: "FailedToUpdateEndpointSlices",
        message: "Error updating Endpoint Slices for Service default/web: skipping Pod web-2 for Service default/web: Node lost Not Found",
      },
    ])
  })

  test("Create and publishNotReady true: it is listed", () => {
    expect(sizes(slicesAfter({ pods, service: webService({ publishNotReadyAddresses: true }) }))).toEqual([2])
  })

  test("Update if publishNotReady false and no nodes are present: the slice is emptied", () => {
    const slices = existing(webService(), [webPod(1)])
    expect(slicesAfter({ slices, pods: [webPod(1)], nodes: [] })).toMatchObject([{ endpoints: [], ports: [] }])
  })
})

describe("the trigger time", () => {
  const annotation = "endpoints.kubernetes.io/last-change-trigger-time"
  const late = "2026-01-05T08:50:00Z"

  test("is that of the pods whose endpoint changed, and goes with a change that has none", () => {
    const slices = existing(webService(), webPods(2))
    const [changed] = slicesAfter({ slices, pods: [webPod(1), webPod(2, { ready: false, readySince: late })] })
    expect(changed?.metadata.annotations?.[annotation]).toBe(late)
    const [shrunk] = slicesAfter({ slices, pods: webPods(1) })
    expect(shrunk?.metadata.annotations?.[annotation]).toBeUndefined()
  })
})

test("every operation says why", () => {
  const slices = existing(webService(), webPods(2))
  const plan = planFor({ slices, pods: webPods(5), max: 3 })
  expect(operationsOf(plan).map(({ reason }) => reason)).toEqual(["no slice has room for 3 of 5 endpoints"])
})
