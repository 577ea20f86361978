import type { Node } from "@pilothouse/api/core/v1"
import { describeOperation } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { taintUnreachableNodes } from "./decide.ts"
import { EvictionPace } from "./memory.ts"
import { defaultOptions } from "./options.ts"
import { minutes, node, start, taint } from "./testing/nodes.ts"
import { evictionRate, zoneHealth, zoneName } from "./zones.ts"

function zone(ready: number, notReady: number, silent = 0): readonly Node[] {
  const some = (count: number, said: "True" | "False" | "Unknown") =>
    Array.from({ length: count }, (_, at) => node({ name: `${said}-${at}`, ready: said }))
  return [...some(ready, "True"), ...some(notReady, "False"), ...some(silent, "Unknown")]
}

describe("TestMonitorNodeHealth: states and rates of a zone", () => {
  test.each<[name: string, nodes: readonly Node[], state: string, rate: number]>([
    ["No Disruption", zone(4, 0), "Normal", 0.1],
    ["No Disruption: two may be down, whatever their share", zone(1, 2), "Normal", 0.1],
    ["No Disruption: just below the threshold", zone(5, 6), "Normal", 0.1],
    ["Partial Disruption: at the threshold", zone(9, 11), "PartialDisruption", 0],
    ["Partial Disruption of a small zone", zone(20, 30), "PartialDisruption", 0],
    ["Partial Disruption of a large zone", zone(20, 31), "PartialDisruption", 0.01],
    ["Full Disruption", zone(0, 1, 1), "FullDisruption", 0.1],
    ["Full Disruption: nodes that never spoke are not ready", [node()], "FullDisruption", 0.1],
    ["nodes that are excluded are not counted", [...zone(3, 0), ...zone(0, 9).map(excluded)], "Normal", 0.1],
    ["a zone of excluded nodes only", zone(0, 3).map(excluded), "Normal", 0.1],
  ])("%s", (_name, nodes, state, rate) => {
    const health = zoneHealth(nodes, defaultOptions)
    expect(health.state).toBe(state)
    expect(evictionRate(health, defaultOptions)).toBe(rate)
  })

  test.each<[name: string, labels: Record<string, string>, expected: string]>([
    ["without labels", {}, ""],
    ["region and zone", { "topology.kubernetes.io/region": "eu", "topology.kubernetes.io/zone": "b" }, "eu/b"],
    ["only a zone", { "topology.kubernetes.io/zone": "b" }, "/b"],
    ["the older labels win", { "topology.kubernetes.io/zone": "b", "failure-domain.beta.kubernetes.io/zone": "c" }, "/c"],
  ])("the zone of a node %s", (_name, labels, expected) => {
    expect(zoneName(node({ labels }))).toBe(expected)
  })
})

function excluded(one: Node): Node {
  return { ...one, metadata: { ...one.metadata, labels: { "node.kubernetes.io/exclude-disruption": "" } } }
}

describe("ApplyNoExecuteTaints", () => {
  function next(nodes: readonly Node[], { lastTry, isCutOff = false }: { lastTry?: number; isCutOff?: boolean } = {}) {
    return taintUnreachableNodes({ concern: "zone", zone: "", nodes, isCutOff, lastTry }, minutes(60), defaultOptions)
  }

  test("the one that is down longest goes first, with the taint of its state; the next comes at the zone's rate", () => {
    const plan = next([
      ...zone(3, 0),
      node({ name: "young", ready: "False", since: minutes(9) }),
      node({ name: "old", ready: "Unknown", since: minutes(1) }),
    ])
    expect(plan.steps.flatMap((step) => step.operations).map(describeOperation)).toEqual(["patch Node old"])
    expect(plan.steps[0]?.operations).toMatchObject([
      {
        patch: {
          metadata: { resourceVersion: "5" },
          spec: { taints: [{ key: "node.kubernetes.io/unreachable", effect: "NoExecute", timeAdded: "2026-01-05T09:55:00Z" }] },
        },
      },
    ])
    expect(plan.requeue?.after).toBe(10_000)
  })

  test.each<[name: string, nodes: readonly Node[], options: { isCutOff?: boolean }, summary: RegExp]>([
    [
      "EnqueueTwice: one that is tainted already is not tainted again",
      [...zone(3, 0), node({ ready: "Unknown", taints: [taint("unreachable", "NoExecute")] })],
      {},
      /no node has to be tainted/,
    ],
    [
      "one that has the other taint is not the zone's business",
      [...zone(3, 0), node({ ready: "False", taints: [taint("unreachable", "NoExecute")] })],
      {},
      /no node has to be tainted/,
    ],
    ["one that is ready again", zone(3, 0), {}, /no node has to be tainted/],
    ["one whose condition was taken away meanwhile", [...zone(3, 0), node()], {}, /no node has to be tainted/],
    ["a small zone that is partly down", zone(2, 5), {}, /too many for so small a zone/],
    ["no node of the cluster is ready", zone(0, 3), { isCutOff: true }, /no node of the cluster is ready/],
  ])("%s", (_name, nodes, options, summary) => {
    expect(next(nodes, options)).toMatchObject({ steps: [], summary: expect.stringMatching(summary), requeue: undefined })
  })

  test("too soon after the last one: it waits", () => {
    expect(next(zone(3, 1), { lastTry: minutes(60) - 6000 })).toMatchObject({ steps: [], requeue: { after: 4000 } })
  })
})

test("property: however readiness comes and goes, no zone gives up more nodes than its rate allows", () => {
  const random = seededRandom(7)
  for (let run = 0; run < 8; run++) {
    const pace = new EvictionPace()
    const [large, given] = [random.int(2) === 0, [] as { at: number; rate: number }[]]
    const size = large ? 60 : 10
    let nodes = zone(size, 0)
    for (let now = start; now < minutes(20); now += 1 + random.int(7000)) {
      nodes = nodes.map((one) =>
        random.int(4) > 0 ? one : node({ name: one.metadata.name, ready: random.int(3) === 0 ? "True" : "False" }),
      )
      const lastTry = pace.lastTry("z")
      const plan = taintUnreachableNodes({ concern: "zone", zone: "z", nodes, isCutOff: false, lastTry }, now, defaultOptions)
      if (plan.steps.length === 0) continue
      pace.tried("z", now)
      given.push({ at: now, rate: evictionRate(zoneHealth(nodes, defaultOptions), defaultOptions) })
    }
    for (const [at, one] of given.entries()) {
      expect(one.rate).toBeGreaterThan(0)
      if (at > 0) expect(one.at - (given[at - 1]?.at ?? 0)).toBeGreaterThanOrEqual(1000 / one.rate)
    }
  }
})
