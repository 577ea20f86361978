import type { Endpoints, Pod, Service } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { created, operationsOf, type PodFacts, webPod, webPods, webService, writesOf } from "../service-endpoints/testing/objects.ts"
import { decide } from "./decide.ts"

const key = { namespace: "default", name: "web" }
const managed = { "endpoints.kubernetes.io/managed-by": "endpoint-controller" }

/** The Endpoints of these pods where there are none yet. */
function listed(service: Service, pods: readonly Pod[]): Endpoints {
  const [made] = writesOf<Endpoints>(decide({ key, service, pods }), "create")
  if (made === undefined) throw new Error("expected Endpoints to be created")
  return made
}

/** The same as a server would have stored it. */
function stored(endpoints: Endpoints, metadata: Partial<Endpoints["metadata"]> = {}): Endpoints {
  return { ...endpoints, metadata: { ...endpoints.metadata, uid: "e-1", resourceVersion: "5", ...metadata } }
}

/** "10.244.1.1 10.244.1.2 | 10.244.1.3 : 8080/TCP" for each subset: ready, not ready, ports. */
function lines({ subsets = [] }: Endpoints): readonly string[] {
  return subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const ips = [addresses, notReadyAddresses].map((list) => list.map(({ ip }) => ip).join(" "))
    return `${ips.join(" | ")} : ${ports.map(({ name, port, protocol }) => `${name ? `${name}=` : ""}${port}/${protocol}`).join(" ")}`
  })
}

interface AddressRow {
  readonly name: string
  readonly pod: PodFacts
  readonly tolerate?: boolean
  readonly expected: "ready" | "not ready" | "none"
}

const addressRows: readonly AddressRow[] = [
  { name: "pod running phase", pod: {}, expected: "ready" },
  { name: "pod running phase being deleted", pod: { deleting: true }, expected: "none" },
  { name: "pod unknown phase container ready", pod: { phase: "Unknown" }, expected: "ready" },
  { name: "pod unknown phase container ready being deleted", pod: { phase: "Unknown", deleting: true }, expected: "none" },
  { name: "pod pending phase container ready", pod: { phase: "Pending" }, expected: "ready" },
  { name: "pod pending phase container ready being deleted", pod: { phase: "Pending", deleting: true }, expected: "none" },
  { name: "pod unknown phase container not ready", pod: { phase: "Unknown", ready: false }, expected: "not ready" },
  { name: "pod pending phase container not ready", pod: { phase: "Pending", ready: false }, expected: "not ready" },
  { name: "pod failed phase", pod: { phase: "Failed", ready: false }, expected: "none" },
  { name: "pod succeeded phase", pod: { phase: "Succeeded", ready: false }, expected: "none" },
  { name: "pod running phase and tolerate unready", pod: { ready: false }, tolerate: true, expected: "ready" },
  {
    name: "pod running phase and tolerate unready being deleted",
    pod: { ready: false, deleting: true },
    tolerate: true,
    expected: "ready",
  },
  { name: "pod unknown phase and tolerate unready", pod: { phase: "Unknown", ready: false }, tolerate: true, expected: "ready" },
  {
    name: "pod unknown phase and tolerate unready being deleted",
    pod: { phase: "Unknown", deleting: true },
    tolerate: true,
    expected: "ready",
  },
  { name: "pod pending phase and tolerate unready", pod: { phase: "Pending", ready: false }, tolerate: true, expected: "ready" },
  {
    name: "pod pending phase and tolerate unready being deleted",
    pod: { phase: "Pending", deleting: true },
    tolerate: true,
    expected: "ready",
  },
  { name: "pod failed phase and tolerate unready", pod: { phase: "Failed" }, tolerate: true, expected: "none" },
  { name: "pod succeeded phase and tolerate unready endpoints", pod: { phase: "Succeeded" }, tolerate: true, expected: "none" },
  { name: "a pod without address", pod: { ips: [], phase: "Pending", ready: false }, tolerate: true, expected: "none" },
]

test.each(addressRows)("SyncServiceAddresses: $name", ({ pod, tolerate, expected }) => {
  const found = lines(listed(webService({ publishNotReadyAddresses: tolerate }), [webPod(1, pod)]))
  const byKind = { ready: ["10.244.1.1 |  : 8080/TCP"], "not ready": [" | 10.244.1.1 : 8080/TCP"], none: [] }
  expect(found).toEqual(byKind[expected])
})

const v4 = "10.244.1.1"
const v6 = "fd00::1"
const none = "None"

describe("the family (PodToEndpointAddressForService)", () => {
  test.each<[name: string, spec: Partial<Service["spec"]>, ips: readonly string[], expected: string | undefined]>([
    ["v4 service, in a single stack cluster", { ipFamilies: ["IPv4"] }, [v4], v4],
    ["v4 service, in a dual stack cluster", { ipFamilies: ["IPv4"] }, [v4, v6], v4],
    ["v4 service, in a dual stack ipv6-primary cluster", { ipFamilies: ["IPv4"] }, [v6, v4], v4],
    ["v4 headless service, in a single stack cluster", { ipFamilies: ["IPv4"], clusterIP: none }, [v4], v4],
    ["v4 headless service, in a dual stack cluster", { ipFamilies: ["IPv4"], clusterIP: none }, [v4, v6], v4],
    ["v6 service, in a dual stack cluster", { ipFamilies: ["IPv6"], clusterIP: "fd00:1::1" }, [v4, v6], v6],
    ["v6 headless service, in a single stack cluster", { ipFamilies: ["IPv6"], clusterIP: none }, [v6], v6],
    ["v6 headless service, in a dual stack cluster", { ipFamilies: ["IPv6"], clusterIP: none }, [v4, v6], v6],
    ["v6 service, in a v4 only cluster", { ipFamilies: ["IPv6"], clusterIP: "fd00:1::1" }, [v4], undefined],
    ["headful IPv4, IPv4 pod, no families said", { ipFamilies: [], clusterIP: "10.96.0.1" }, [v4], v4],
    ["headful IPv6, IPv6 pod, no families said", { ipFamilies: [], clusterIP: "fd00:1::1" }, [v4, v6], v6],
    ["headful IPv4, no matching pod IP, no families said", { ipFamilies: [], clusterIP: "10.96.0.1" }, [v6], undefined],
    ["headless, IPv4 pod, no families said", { ipFamilies: undefined, clusterIP: none }, [v4, v6], v4],
    ["headless, IPv6 pod, no families said", { ipFamilies: undefined, clusterIP: none }, [v6, v4], v6],
    ["an address with leading zeros is written as Go does", { ipFamilies: ["IPv4"] }, ["10.244.001.01"], v4],
    ["an address with capitals too", { ipFamilies: ["IPv6"] }, ["FD00:0:0::0001"], v6],
  ])("%s", (_name, spec, ips, expected) => {
    expect(listed(webService(spec), [webPod(1, { ips })]).subsets?.[0]?.addresses?.[0]?.ip).toBe(expected)
  })
})

const named = (protocol: "TCP" | "UDP" | "SCTP", containerPort: number) => ({
  containers: [{ name: "web", ports: [{ name: "api", protocol, containerPort }] }],
})
const port80 = { port: 80, targetPort: 8080 }

describe("ports", () => {
  test.each<[name: string, spec: Partial<Service["spec"]>, pod: PodFacts, expected: readonly string[]]>([
    ["ProtocolTCP", { ports: [{ ...port80, protocol: "TCP" }] }, {}, [`${v4} |  : 8080/TCP`]],
    ["ProtocolUDP", { ports: [{ ...port80, protocol: "UDP" }] }, {}, [`${v4} |  : 8080/UDP`]],
    ["ProtocolSCTP", { ports: [{ ...port80, protocol: "SCTP" }] }, {}, [`${v4} |  : 8080/SCTP`]],
    [
      "ProtocolMultiProtocolSamePort",
      {
        ports: [
          { ...port80, protocol: "TCP" },
          { ...port80, protocol: "UDP" },
        ],
      },
      {},
      [`${v4} |  : 8080/TCP 8080/UDP`],
    ],
    ["HeadlessWithoutPort", { clusterIP: none, ports: undefined }, {}, [`${v4} |  : `]],
    ["a Service with an address and no ports lists nothing", { ports: undefined }, {}, []],
    ["a named port", { ports: [{ port: 80, targetPort: "api" }] }, { spec: named("TCP", 9000) }, [`${v4} |  : 9000/TCP`]],
    ["a named port of another protocol is none", { ports: [{ port: 80, targetPort: "api" }] }, { spec: named("UDP", 9000) }, []],
    [
      "one port that is missing does not hide the other",
      {
        ports: [
          { port: 80, targetPort: "nowhere", name: "a" },
          { port: 81, targetPort: 8081, name: "b" },
        ],
      },
      {},
      [`${v4} |  : b=8081/TCP`],
    ],
  ])("%s", (_name, spec, pod, expected) => {
    expect(lines(listed(webService(spec), [webPod(1, pod)]))).toEqual(expected)
  })

  test("the application protocol is kept", () => {
    const made = listed(webService({ ports: [{ ...port80, name: "http", appProtocol: "kubernetes.io/h2c" }] }), [webPod(1)])
    expect(made.subsets?.[0]?.ports).toEqual([{ name: "http", port: 8080, protocol: "TCP", appProtocol: "kubernetes.io/h2c" }])
  })
})

test("an address names the pod, its node and, where the pod asks for it, its host name", () => {
  const asking = webPod(1, { spec: { hostname: "first", subdomain: "web" } })
  const other = webPod(2, { spec: { hostname: "second", subdomain: "elsewhere" } })
  expect(listed(webService(), [asking, other]).subsets?.[0]?.addresses).toEqual([
    { ip: v4, hostname: "first", nodeName: "node-1", targetRef: { kind: "Pod", namespace: "default", name: "web-1", uid: "p-1" } },
    { ip: "10.244.1.2", nodeName: "node-1", targetRef: { kind: "Pod", namespace: "default", name: "web-2", uid: "p-2" } },
  ])
})

describe("the Service decides whether there is anything to do", () => {
  test.each<[name: string, spec: Partial<Service["spec"]>]>([
    ["ItemsPreserveNoSelector", { selector: undefined }],
    ["an empty selector", { selector: {} }],
    ["External name with selector and ports should not receive endpoints", { type: "ExternalName", externalName: "example.org" }],
    ["External name with ports should not receive endpoints", { type: "ExternalName", selector: undefined }],
    ["External name with selector should not receive endpoints", { type: "ExternalName", ports: undefined }],
    [
      "External name without selector and ports should not receive endpoints",
      { type: "ExternalName", selector: undefined, ports: undefined },
    ],
  ])("%s", (_name, spec) => {
    const handWritten = stored(listed(webService(), webPods(1)), { labels: {} })
    expect(operationsOf(decide({ key, service: webService(spec), endpoints: handWritten, pods: webPods(2) }))).toEqual([])
  })
})

describe("when the Service is gone", () => {
  const endpoints = stored(listed(webService(), webPods(1)))

  test("ServiceNotFound: its Endpoints go", () => {
    expect(operationsOf(decide({ key, endpoints, pods: [] }))).toMatchObject([{ do: "delete", reason: "the Service default/web is gone" }])
  })

  test("CheckLeftoverEndpoints: the record of a leader election stays", () => {
    const record = stored(endpoints, { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } })
    expect(operationsOf(decide({ key, endpoints: record, pods: [] }))).toEqual([])
  })

  test("nothing is deleted twice", () => {
    expect(operationsOf(decide({ key, pods: [] }))).toEqual([])
    expect(decide({ key, endpoints: stored(endpoints, { deletionTimestamp: created }), pods: [] }).steps).toEqual([])
  })
})

describe("labels", () => {
  test("ItemsWithLabels: those of the Service, and who keeps them", () => {
    expect(listed(webService({}, { labels: { foo: "bar" } }), []).metadata.labels).toEqual({ foo: "bar", ...managed })
  })

  test("HeadlessServiceLabel: a headless Service says so, whatever its own label says", () => {
    const headless = "service.kubernetes.io/headless"
    expect(listed(webService({ clusterIP: none }), []).metadata.labels).toEqual({ [headless]: "", ...managed })
    expect(listed(webService({}, { labels: { [headless]: "" } }), []).metadata.labels).toEqual(managed)
  })

  test("ItemsPreexistingLabelsChange: one that the Service loses goes, one that another client set stays", () => {
    const before = stored(listed(webService({}, { labels: { foo: "bar", old: "1" } }), []))
    const endpoints = stored(before, { labels: { ...before.metadata.labels, theirs: "yes" } })
    const [next] = writesOf<Endpoints>(decide({ key, service: webService({}, { labels: { foo: "baz" } }), endpoints, pods: [] }))
    expect(next?.metadata.labels).toEqual({ foo: "baz", theirs: "yes", ...managed })
  })

  test("Endpoints that upstream made: what the Service lost goes with the first write, and from then on what others add stays", () => {
    const made = listed(webService({}, { labels: { foo: "bar", old: "1" } }), [])
    const endpoints = stored(made, { annotations: {} })
    const service = webService({}, { labels: { foo: "bar" } })
    const [next] = writesOf<Endpoints>(decide({ key, service, endpoints, pods: [] }))
    expect(next?.metadata.labels).toEqual({ foo: "bar", ...managed })
    const theirs = stored(next!, { labels: { ...next!.metadata.labels, theirs: "yes" } })
    expect(writesOf(decide({ key, service, endpoints: theirs, pods: [] }))).toEqual([])
  })

  test("what others add stays where the Service has no labels too", () => {
    const made = listed(webService(), [])
    const endpoints = stored(made, { labels: { ...made.metadata.labels, theirs: "yes" } })
    expect(writesOf(decide({ key, service: webService(), endpoints, pods: [] }))).toEqual([])
  })

  test("a Service cannot change the manager of its Endpoints", () => {
    const evil = webService({}, { labels: { "endpoints.kubernetes.io/managed-by": "unknown" } })
    expect(listed(evil, []).metadata.labels).toEqual(managed)
  })
})
