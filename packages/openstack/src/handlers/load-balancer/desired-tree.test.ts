import type { Endpoints, Service } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { describe, expect, test } from "vitest"
import type { TreeOptions } from "../../drivers/drivers.ts"
import type { ServiceSpec } from "../annotations.ts"
import { buildDesiredTree, mismatch, type Target, targetsOfEndpoints, targetsOfSlices, trafficTo } from "./desired-tree.ts"

const options: TreeOptions = {
  algorithm: "ROUND_ROBIN",
  memberMode: "L3",
  podSubnet: { id: "pods", cidr: "10.10.0.0/16" },
  serviceSubnet: { cidr: "10.20.0.0/16" },
  external: { network: "public" },
}
const http = { name: "http", protocol: "TCP", port: 80 }
const spec: ServiceSpec = { ip: "10.20.0.5", ports: [http], project: "p", subnet: "services", groups: ["g"] }
const pod = (name: string) => ({ kind: "Pod", namespace: "default", name })

function serviceWith(more: object = {}): Service {
  const metadata = { name: "web", namespace: "default", uid: "u" }
  return { apiVersion: "v1", kind: "Service", metadata, spec: { type: "ClusterIP", ...more } } as Service
}

function endpointsWith(subsets: unknown): Endpoints {
  return { apiVersion: "v1", kind: "Endpoints", metadata: { name: "web", namespace: "default" }, subsets } as Endpoints
}

function target(address: string, more: Partial<Target> = {}): Target {
  return { address, portName: "http", port: 8080, pod: { namespace: "default", name: "web-1" }, ...more }
}

/** "default/web:TCP:80: default/web-1:8080" */
function inShort(targets: readonly Target[], own: ServiceSpec = spec): readonly string[] {
  const { tree } = buildDesiredTree(serviceWith(), own, targets, options)
  return tree.listeners.map(({ name, members }) => `${name}: ${members.map((member) => member.name).join(" ")}`)
}

describe("the tree of a Service", () => {
  test("is named as kuryr names it: balancer, listener and pool, member", () => {
    const { tree } = buildDesiredTree(serviceWith(), spec, [target("10.10.0.5")], options)
    expect(tree).toMatchObject({ name: "default/web", owner: "u", project: "p", ip: "10.20.0.5", subnet: "services", groups: ["g"] })
    expect(tree.listeners).toEqual([
      {
        name: "default/web:TCP:80",
        protocol: "TCP",
        port: 80,
        allowedCidrs: undefined,
        sticky: false,
        members: [{ name: "default/web-1:8080", address: "10.10.0.5", port: 8080, subnet: "services" }],
      },
    ])
  })

  test("two ports to one target port: members in the pool of each, which kuryr left out", () => {
    const two = { ...spec, ports: [http, { name: "alt", protocol: "TCP", port: 81 }] }
    const targets = [target("10.10.0.5"), target("10.10.0.5", { portName: "alt" })]
    expect(inShort(targets, two)).toEqual(["default/web:TCP:80: default/web-1:8080", "default/web:TCP:81: default/web-1:8080"])
  })

  test("of two families: members are those of its address, whichever is first", () => {
    const both = [target("10.10.0.5"), target("fd00::5", { pod: { namespace: "default", name: "web-6" } })]
    expect(inShort(both)).toEqual(["default/web:TCP:80: default/web-1:8080"])
    expect(inShort(both, { ...spec, ip: "fd00:20::5" })).toEqual(["default/web:TCP:80: default/web-6:8080"])
  })

  test("an address that stands twice is one member", () => {
    expect(inShort([target("10.10.0.5"), target("10.10.0.5")])).toEqual(["default/web:TCP:80: default/web-1:8080"])
  })

  test("an address that is no pod's is named by itself", () => {
    expect(inShort([target("203.0.113.7", { pod: undefined })])).toEqual(["default/web:TCP:80: 203.0.113.7:8080"])
  })

  test("without addresses its pools are empty, and it is there all the same", () => {
    expect(inShort([])).toEqual(["default/web:TCP:80: "])
  })

  test.each([
    ["ClusterIP", undefined],
    ["NodePort", undefined],
    ["LoadBalancer", { network: "public", address: undefined }],
  ])("of type %s is reached from outside: %o", (type, floating) => {
    expect(buildDesiredTree(serviceWith({ type }), spec, [], options).tree.floating).toEqual(floating)
  })

  test("of type LoadBalancer asks for the address that it names, and for none where no network outside is configured", () => {
    const service = serviceWith({ type: "LoadBalancer", loadBalancerIP: "172.24.4.7" })
    expect(buildDesiredTree(service, spec, [], options).tree.floating).toEqual({ network: "public", address: "172.24.4.7" })
    expect(buildDesiredTree(service, spec, [], { ...options, external: undefined }).tree.floating).toBeUndefined()
  })

  test("mode L2: members are in the subnet of the pods, and what is outside of it is left out with a reason", () => {
    const near: TreeOptions = { ...options, memberMode: "L2" }
    const { tree, skipped } = buildDesiredTree(
      serviceWith(),
      spec,
      [target("10.10.0.5"), target("203.0.113.7"), target("203.0.113.7")],
      near,
    )
    expect(tree.listeners[0]?.members).toMatchObject([{ address: "10.10.0.5", subnet: "pods" }])
    expect(skipped).toEqual(["203.0.113.7 is outside the subnet of the pods, 10.10.0.0/16"])
    expect(trafficTo(tree, near)).toEqual([{ from: "10.10.0.0/16", protocol: "TCP", port: 8080 }])
    expect(trafficTo(tree, options)).toEqual([{ from: "10.20.0.0/16", protocol: "TCP", port: 8080 }])
  })
})

describe("addresses", () => {
  test("subsets with different ports are kept apart, which kuryr's later versions do not", () => {
    const found = targetsOfEndpoints(
      endpointsWith([
        { addresses: [{ ip: "10.10.0.5", targetRef: pod("a") }], ports: [{ name: "http", port: 8080 }] },
        { addresses: [{ ip: "10.10.0.6", targetRef: pod("b") }], ports: [{ name: "http", port: 9090 }] },
      ]),
    )
    expect(found.map(({ address, port }) => `${address}:${port}`)).toEqual(["10.10.0.5:8080", "10.10.0.6:9090"])
  })

  test.each([
    ["no subsets", undefined],
    ["a subset without addresses", [{ notReadyAddresses: [{ ip: "10.10.0.5" }], ports: [{ port: 80 }] }]],
    ["a subset without ports", [{ addresses: [{ ip: "10.10.0.5" }] }]],
  ])("%s: none, and nothing breaks", (_, subsets) => {
    expect(targetsOfEndpoints(endpointsWith(subsets))).toEqual([])
  })

  test("of slices: those that are ready or do not say, of ports that have a number", () => {
    const slice = (more: object) =>
      ({ metadata: { namespace: "default" }, ports: [{ name: "", port: 8080 }, { name: "all" }], ...more }) as unknown as EndpointSlice
    const found = targetsOfSlices([
      slice({ endpoints: [{ addresses: ["10.10.0.5"], conditions: { ready: true }, targetRef: pod("a") }] }),
      slice({ endpoints: [{ addresses: ["10.10.0.6"], conditions: { ready: false } }, { addresses: ["10.10.0.7"] }] }),
    ])
    expect(found).toEqual([
      { address: "10.10.0.5", portName: null, port: 8080, pod: { namespace: "default", name: "a" } },
      { address: "10.10.0.7", portName: null, port: 8080, pod: undefined },
    ])
  })

  test.each([
    ["endpoints", { endpoints: null, ports: [{ port: 80 }] }],
    ["ports", { endpoints: [{ addresses: ["10.10.0.5"] }], ports: null }],
    ["both", { endpoints: null, ports: null }],
    ["neither", {}],
  ])("of a slice whose lists are null (%s): none, and nothing breaks", (_, lists) => {
    expect(targetsOfSlices([{ metadata: { namespace: "default" }, ...lists } as unknown as EndpointSlice])).toEqual([])
  })
})

const named = (...names: (string | null)[]): ServiceSpec => ({
  ...spec,
  ports: names.map((name, at) => ({ name, protocol: "TCP", port: 80 + at })),
})

describe("the names of ports in the two halves of a change", () => {
  test.each<readonly [string, ServiceSpec, readonly Target[], string | undefined]>([
    ["the same", named("http"), [target("a")], undefined],
    ["none on both sides", named(null), [target("a", { portName: null })], undefined],
    ["empty Endpoints are no mismatch", named("http"), [], undefined],
    ["a port that no pod has yet", named("http", "new"), [target("a")], undefined],
    ["renamed on one side", named("web"), [target("a")], "the endpoints have the ports http, the Service has web"],
    ["named on one side only", named(null), [target("a")], "the endpoints have the ports http, the Service has (no name)"],
  ])("%s", (_, own, targets, expected) => {
    expect(mismatch(own, targets)).toBe(expected)
  })
})
