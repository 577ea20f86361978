import type { Endpoints, Service } from "@pilothouse/api/core/v1"
import type { Plan } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { Subnet } from "../../clients/neutron/types.ts"
import { decodeSpec, type ServiceSpec } from "../annotations.ts"
import { decideSpec, type SpecObserved } from "./decide.ts"

const subnet = { id: "subnet", cidr: "10.20.0.0/16" } as Subnet
const spec: ServiceSpec = {
  ip: "10.20.0.5",
  ports: [{ name: null, protocol: "TCP", port: 80 }],
  project: "p",
  subnet: "subnet",
  groups: ["g"],
}
const metadata = { name: "web", namespace: "default", uid: "u", resourceVersion: "7" }
const endpoints: Endpoints = { apiVersion: "v1", kind: "Endpoints", metadata }
const quiet: SpecObserved = { subnets: [subnet], project: "p", groups: ["g"], onService: {}, onEndpoints: {} }
const both = { endpoints, onService: { value: spec, text: "x" }, onEndpoints: { value: spec, text: "x" } }

function serviceWith(more: object = {}, about: object = {}): Service {
  const its = { type: "ClusterIP", clusterIP: "10.20.0.5", ports: [{ port: 80 }], ...more }
  return { apiVersion: "v1", kind: "Service", metadata: { ...metadata, ...about }, spec: its } as Service
}

function decided(service: Service, more: Partial<SpecObserved> = {}, type: "added" | "modified" = "modified"): Plan {
  return decideSpec({ type, key: "default/web", object: service }, { ...quiet, ...more })
}

/** The kinds that are written on, step after step; else why nothing is. */
function inShort({ steps, summary, events }: Plan): string {
  const done = steps.flatMap(({ operations }) => operations.map((one) => ("object" in one ? one.object.kind : one.do)))
  return [...(done.length > 0 ? done : [summary ?? ""]), ...events.map(({ reason }) => reason)].join(", ")
}

const moved = (change: Partial<ServiceSpec>) => ({ ...both, onService: { value: { ...spec, ...change }, text: "x" } })

const rows: readonly (readonly [string, Service, Partial<SpecObserved>, string])[] = [
  ["without a specification: on the Endpoints, then on the Service", serviceWith(), { endpoints }, "Endpoints, Service"],
  ["without Endpoints: on the Service alone", serviceWith(), {}, "Service"],
  ["whose Endpoints came later", serviceWith(), { ...both, onEndpoints: {} }, "Endpoints"],
  ["up to date", serviceWith(), both, "the specification is written"],
  ["with another address", serviceWith({ clusterIP: "10.20.0.6" }), both, "Endpoints, Service"],
  ["with another port", serviceWith({ ports: [{ port: 81 }] }), both, "Endpoints, Service"],
  ["with another protocol", serviceWith({ ports: [{ port: 80, protocol: "UDP" }] }), both, "Endpoints, Service"],
  ["with another name of its port", serviceWith({ ports: [{ port: 80, name: "http" }] }), both, "Endpoints, Service"],
  ["TCP where nothing is said", serviceWith({ ports: [{ port: 80, protocol: "TCP" }] }), both, "the specification is written"],
  ["of which only the Service's was edited", serviceWith(), moved({ ip: "10.20.0.9" }), "Service"],
  ["with other groups", serviceWith(), { ...both, groups: ["g", "h"] }, "Endpoints, Service"],
  ["with a node port: the balancer of its cluster IP", serviceWith({ type: "NodePort" }), { endpoints }, "Endpoints, Service"],
  ["of type LoadBalancer", serviceWith({ type: "LoadBalancer" }), { endpoints }, "Endpoints, Service"],
  ["without a selector", serviceWith({ selector: undefined }), { endpoints }, "Endpoints, Service"],
  ["headless", serviceWith({ clusterIP: "None" }), {}, "a headless Service has no address to balance"],
  [
    "of type ExternalName",
    serviceWith({ type: "ExternalName", clusterIP: undefined }),
    {},
    "a Service of type ExternalName is only a name",
  ],
  ["without an address yet", serviceWith({ clusterIP: undefined }), {}, "the Service has no address yet"],
  ["that is going", serviceWith({}, { deletionTimestamp: "2026-01-05T09:00:00Z" }), { endpoints }, "the Service is going"],
  ["of another controller", serviceWith(), { endpoints, skipReason: "not one of ours" }, "not one of ours"],
]

describe("the specification of a Service", () => {
  test.each(rows)("%s", (_, service, more, expected) => {
    expect(inShort(decided(service, more))).toBe(expected)
  })

  test("the Service's is written after that of the Endpoints, and both say the same", () => {
    const { steps } = decided(serviceWith(), { endpoints })
    const filled = steps.filter(({ operations }) => operations.length > 0)
    expect(filled).toHaveLength(2)
    const texts = filled.flatMap(({ operations }) => operations.map((one) => JSON.stringify("patch" in one ? one.patch : undefined)))
    expect(texts[0]).toBe(texts[1])
    expect(texts[0]).toContain('"resourceVersion":"7"')
  })

  test("has ports in any order", () => {
    const two = [
      { name: "a", protocol: "TCP", port: 80 },
      { name: "b", protocol: "TCP", port: 81 },
    ]
    const known = { value: { ...spec, ports: two.toReversed() }, text: "x" }
    const made = decided(serviceWith({ ports: two }), { endpoints, onService: known, onEndpoints: known })
    expect(inShort(made)).toBe("the specification is written")
  })

  test("says what kuryr's says: address, ports, project, subnet and groups", () => {
    const [write] = decided(serviceWith()).steps.flatMap(({ operations }) => operations)
    const patch = (write as { patch: { metadata: { annotations: Record<string, string> } } }).patch
    expect(Object.values(patch.metadata.annotations).map(decodeSpec)).toEqual([spec])
  })

  test.each([
    ["headless", { clusterIP: "None" }],
    ["of type ExternalName", { type: "ExternalName", clusterIP: undefined }],
  ])("a Service that is %s gets one event, when it is first seen", (_, its) => {
    const reported = ["added", "modified"] as const
    expect(reported.map((type) => decided(serviceWith(its), {}, type).events.map(({ reason }) => reason))).toEqual([
      ["KuryrServiceSkipped"],
      [],
    ])
  })

  test("a Service of two families is specified by its first address, and told once that the second has no load balancer", () => {
    const service = serviceWith({ clusterIPs: ["10.20.0.5", "fd00::5"], ipFamilies: ["IPv4", "IPv6"] })
    const made = decided(service, { endpoints }, "added")
    expect(inShort(made)).toBe("Endpoints, Service, KuryrSecondAddressSkipped")
    expect(made.events).toMatchObject([{ type: "Normal", message: expect.stringMatching(/at 10\.20\.0\.5 and none at fd00::5/) }])
    expect(inShort(decided(service, both))).toBe("the specification is written")
  })

  test("an address outside the subnet of Services: an event says which range and which option, and nothing is written", () => {
    const made = decided(serviceWith({ clusterIP: "10.99.0.1" }), { endpoints })
    expect(made.steps.flatMap(({ operations }) => operations)).toEqual([])
    expect(made.events).toMatchObject([{ type: "Warning", reason: "KuryrAddressOutsideSubnet" }])
    for (const words of ["10.99.0.1", "10.20.0.0/16", "[neutron_defaults] service_subnet", "--service-cluster-ip-range"])
      expect(made.events[0]?.message).toContain(words)
  })

  test.each(["onService", "onEndpoints"] as const)("one that cannot be decoded is not overwritten: %s", (where) => {
    const error = new PilothouseError("TERMINAL", "cannot be read")
    expect(inShort(decided(serviceWith(), { endpoints, [where]: { text: "x", error } }))).toBe("read-annotation")
  })
})
