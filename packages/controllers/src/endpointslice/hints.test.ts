import type { Node, Pod, Service } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { describe, expect, test } from "vitest"
import { readyNode, webPod, webService } from "../service-endpoints/testing/objects.ts"
import { allocations, redistribution, usesTopologyHints, zoneShares } from "./hints.ts"
import { counted, planFor, type Situation, slicesAfter } from "./testing/slices.ts"

const nodes = [readyNode("node-1", "a"), readyNode("node-2", "b"), readyNode("node-3")]
const auto = { annotations: { "service.kubernetes.io/topology-mode": "Auto" } }

/** So many pods on each node. */
function spread(perNode: Readonly<Record<string, number>>): readonly Pod[] {
  let number = 0
  return Object.entries(perNode).flatMap(([node, count]) => Array.from({ length: count }, () => webPod(++number, { node })))
}

/** "a@node-1 a@node-1 b -": zone and node hints of each endpoint. */
function hintsOf(slices: readonly EndpointSlice[]): string {
  const texts = slices.flatMap((slice) =>
    (slice.endpoints ?? []).map(({ hints }) => {
      const forNodes = hints?.forNodes?.map(({ name }) => `@${name}`).join("") ?? ""
      return `${hints?.forZones?.map(({ name }) => name).join("+") ?? ""}${forNodes}` || "-"
    }),
  )
  return texts.join(" ")
}

function prefer(trafficDistribution: string | undefined): Service {
  return webService({ trafficDistribution })
}

describe("TrafficDistribution", () => {
  const pods = spread({ "node-1": 2, "node-2": 1, "node-3": 1 })
  test.each([
    { name: "should set zone hints with PreferClose", service: prefer("PreferClose"), expected: "a a b -" },
    { name: "should set zone hints with PreferSameZone", service: prefer("PreferSameZone"), expected: "a a b -" },
    {
      name: "should set zone and node hints with PreferSameNode, only node hints where there is no zone",
      service: prefer("PreferSameNode"),
      expected: "a@node-1 a@node-1 b@node-2 @node-3",
    },
    { name: "trafficDistribution is unrecognized", service: prefer("PreferCheap"), expected: "- - - -" },
    { name: "trafficDistribution=nil, topologyAnnotation=<empty>", service: prefer(undefined), expected: "- - - -" },
  ])("$name", ({ service, expected }) => {
    const slices = slicesAfter({ service, pods, nodes })
    expect(hintsOf(slices)).toBe(expected)
    expect(counted({ service, pods, nodes, slices })).toBe("0 create, 0 update, 0 delete")
  })

  test("should correct incorrect hints, and remove them when trafficDistribution is unset", () => {
    const slices = slicesAfter({ service: prefer("PreferSameNode"), pods, nodes })
    expect(hintsOf(slicesAfter({ service: prefer("PreferClose"), pods, nodes, slices }))).toBe("a a b -")
    expect(hintsOf(slicesAfter({ pods, nodes, slices }))).toBe("- - - -")
  })

  test("unready endpoints should not trigger updates", () => {
    const unready = pods.map((_, at) => webPod(at + 1, { ready: false }))
    const slices = slicesAfter({ pods: unready, nodes })
    expect(counted({ service: prefer("PreferClose"), pods: unready, nodes, slices })).toBe("0 create, 0 update, 0 delete")
  })

  test("trafficDistribution=PreferClose, topologyAnnotation=Auto: the annotation wins", () => {
    const service = webService({ trafficDistribution: "PreferClose" }, auto)
    expect(hintsOf(slicesAfter({ service, pods, nodes }))).toBe("- - - -")
  })
})

describe("hintsEnabled", () => {
  const older = "service.kubernetes.io/topology-aware-hints"
  const current = "service.kubernetes.io/topology-mode"
  test.each<[name: string, annotations: Record<string, string>, expected: boolean]>([
    ["empty annotations", {}, false],
    ["different annotations", { topology: "auto" }, false],
    ["hints annotation == enabled", { [older]: "enabled" }, false],
    ["hints annotation == aUto", { [older]: "aUto" }, false],
    ["hints annotation == auto", { [older]: "auto" }, true],
    ["hints annotation == Auto", { [older]: "Auto" }, true],
    ["mode annotation == auto", { [current]: "auto" }, true],
    ["mode annotation == Auto", { [current]: "Auto" }, true],
    ["mode annotation == disabled", { [current]: "disabled" }, false],
    ["mode annotation == disabled, hints annotation == auto", { [current]: "disabled", [older]: "auto" }, true],
    ["mode annotation == auto, hints annotation == disabled", { [current]: "auto", [older]: "disabled" }, false],
  ])("%s", (_name, annotations, expected) => {
    expect(usesTopologyHints(webService({}, { annotations }))).toBe(expected)
  })
})

describe("ReconcileTopology", () => {
  const twoZones = [readyNode("node-1", "a"), readyNode("node-2", "b")]
  const topology = (situation: Situation): Situation => ({ nodes: twoZones, ...situation, service: webService({}, auto) })
  const saidIn = (situation: Situation) => planFor(situation).events.map(({ reason, message }) => `${reason}: ${message}`)

  test("enabling topologyCache, hintsAnnotation == auto: each endpoint serves its own zone", () => {
    const situation = topology({ pods: spread({ "node-1": 2, "node-2": 2 }) })
    expect(saidIn(situation)).toEqual(["TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4"])
    const slices = slicesAfter(situation)
    expect(hintsOf(slices)).toBe("a a b b")
    expect(planFor({ ...situation, slices })).toMatchObject({ steps: [], events: [] })
  })

  test("a zone with few endpoints gets some of the other", () => {
    expect(hintsOf(slicesAfter(topology({ pods: spread({ "node-1": 5, "node-2": 1 }) })))).toBe("b b a a a b")
  })

  test("slices whose hints are still possible stay as they are", () => {
    const pods = spread({ "node-1": 4, "node-2": 4 })
    const slices = slicesAfter(topology({ pods, max: 4 }))
    const more = topology({ pods: [...pods, webPod(9), webPod(10, { node: "node-2" })], slices, max: 4 })
    expect(counted(more)).toBe("1 create, 0 update, 0 delete")
  })

  test("topology enabled, hintsAnnotation==auto, ratio beyond threshold: no hints, and the reason", () => {
    const pods = spread({ "node-1": 1, "node-2": 1 })
    const lopsided = [readyNode("node-1", "a", "1"), readyNode("node-2", "b", "9")]
    const situation = topology({ pods, nodes: lopsided })
    expect(hintsOf(slicesAfter(situation))).toBe("- -")
    expect(saidIn(situation)).toEqual([
      "TopologyAwareHintsDisabled: Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (2 endpoints, 2 zones), addressType: IPv4",
    ])
  })

  test.each<[name: string, situation: Situation, expected: string]>([
    [
      "slice to create, no zone ratios",
      { nodes: [readyNode("node-1", "a")], pods: [webPod(1)] },
      "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes",
    ],
    ["more zones than endpoints", { pods: [webPod(1)] }, "Insufficient number of endpoints (1 endpoints, 2 zones)"],
  ])("%s", (_name, situation, expected) => {
    expect(saidIn(topology(situation))).toEqual([`TopologyAwareHintsDisabled: ${expected}, addressType: IPv4`])
  })

  test("hintsAnnotation==disabled: the hints are removed, with one event", () => {
    const pods = spread({ "node-1": 2, "node-2": 2 })
    const slices = slicesAfter(topology({ pods }))
    const situation = { pods, nodes: twoZones, slices }
    expect(saidIn(situation)).toEqual(["TopologyAwareHintsDisabled: Topology Aware Hints has been disabled, addressType: IPv4"])
    expect(saidIn({ ...situation, slices: slicesAfter(situation) })).toEqual([])
  })

  test("endpoints that are not ready get no hint and do not count", () => {
    const pods = [...spread({ "node-1": 1, "node-2": 1 }), webPod(3, { ready: false }), webPod(4, { ready: false, node: "node-2" })]
    expect(hintsOf(slicesAfter(topology({ pods })))).toBe("a b - -")
  })
})

describe("SetNodes: the shares of the zones", () => {
  const notReady = (node: Node): Node => ({ ...node, status: { ...node.status, conditions: [{ type: "Ready", status: "False" }] } })
  const master = (node: Node): Node => ({
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, "node-role.kubernetes.io/control-plane": "" } },
  })
  const [a1, a2, b1, b2] = [readyNode("a1", "a", "1"), readyNode("a2", "a", "1"), readyNode("b1", "b", "1"), readyNode("b2", "b", "1")]
  test.each<[name: string, nodes: readonly Node[], expected: Record<string, number> | undefined]>([
    ["empty", [], undefined],
    ["single node", [a1], undefined],
    ["single zone", [a1, a2], undefined],
    ["2 zones", [a1, b1], { a: 0.5, b: 0.5 }],
    ["2 zones, unready node in 1, ready node in 1", [a1, notReady(b1)], undefined],
    ["2 zones, control plane node in 1, ready node in 1", [a1, master(b1)], undefined],
    ["2 zones, unready node in 1, ready node in 2", [a1, b1, notReady(b2)], { a: 0.5, b: 0.5 }],
    ["2 zones, control plane node in 1, ready node in 2", [a1, b1, master(b2)], { a: 0.5, b: 0.5 }],
    ["uneven zones", [a1, readyNode("b3", "b", "3000m")], { a: 0.25, b: 0.75 }],
    ["even zones but node missing zone, sync required", [a1, b1, readyNode("c1")], undefined],
    ["even zones but node missing cpu, sync required", [a1, b1, readyNode("c1", "c", "0")], undefined],
  ])("%s", (_name, nodes, expected) => {
    const shares = zoneShares(nodes)
    expect(shares && Object.fromEntries(shares)).toEqual(expected)
  })

  test("allocations leave the rest to zones that need it", () => {
    const found = allocations(
      new Map([
        ["a", 0.6],
        ["b", 0.4],
      ]),
      10,
    )
    expect(found).toEqual(
      new Map([
        ["a", { desired: 6, maximum: 6 }],
        ["b", { desired: 4, maximum: 5 }],
      ]),
    )
  })
})

describe("getGivingAndReceivingZones", () => {
  type Counts = Readonly<Record<string, number>>
  test.each<[name: string, desired: Counts, hinted: Counts, giving: Counts, receiving: Counts]>([
    ["empty", {}, {}, {}, {}],
    ["simple allocation with no need for rebalancing", { a: 1.2, b: 1.1, c: 1 }, { a: 1, b: 1, c: 1 }, {}, {}],
    [
      "preference for same zone even when giving an extra endpoint would result in slightly better distribution",
      { a: 5.1, b: 5.1, c: 5.8 },
      { a: 16 },
      { a: 10 },
      { b: 5, c: 5 },
    ],
    [
      "when 2 zones need < 1 endpoint, give to zone that needs endpoint most",
      { a: 4, b: 4.6, c: 4.4 },
      { a: 13 },
      { a: 9 },
      { b: 5, c: 4 },
    ],
    [
      "when 2 zones have extra endpoints, give from zone with most extra",
      { a: 5, b: 5.6, c: 5.4 },
      { b: 8, c: 8 },
      { b: 2, c: 3 },
      { a: 5 },
    ],
    ["more allocated than allocations", { a: 4, b: 3, c: 3 }, { a: 5, b: 5, c: 5 }, {}, {}],
    ["negative allocations", { a: -4, b: -3, c: -3 }, { a: 5, b: 5, c: 5 }, {}, {}],
    ["negative allocated", { a: 4, b: 3, c: 3 }, { a: -2, b: -3, c: -4 }, {}, {}],
    ["negative for 1 zone", { a: 5, b: 3, c: 2 }, { a: -40, b: 20, c: 20 }, { b: 17, c: 18 }, { a: 35 }],
  ])("%s", (_name, desired, hinted, giving, receiving) => {
    const wanted = new Map(Object.entries(desired).map(([zone, count]) => [zone, { desired: count, maximum: 0 }]))
    const found = redistribution(wanted, new Map(Object.entries(hinted)))
    expect([Object.fromEntries(found.giving), Object.fromEntries(found.receiving)]).toEqual([giving, receiving])
  })
})
