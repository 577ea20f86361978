import { matchesLabels, selectorOf } from "@pilothouse/api"
import type { Node, Pod, PodSpec } from "@pilothouse/api/core/v1"
import { seededRandom } from "@pilothouse/seams"
import fc from "fast-check"
import { expect, test } from "vitest"
import { NodeStates } from "./cache/node-states.ts"
import { decide } from "./decide.ts"
import { podFacts } from "./pod/pod-facts.ts"
import { testNode, testPod } from "./testing/objects.ts"

const host = "kubernetes.io/hostname"
const app = fc.constantFrom("x", "y")

const node = fc.record({ cpu: fc.integer({ min: 1, max: 4 }), zone: fc.constantFrom("a", "b", "c"), cordoned: fc.boolean() })

interface PodRequest {
  readonly app: string
  readonly cpu: number
  readonly port: number | undefined
  readonly alone: boolean
  readonly skew: number | undefined
}

const podRequest: fc.Arbitrary<PodRequest> = fc.record({
  app,
  cpu: fc.integer({ min: 0, max: 2000 }),
  port: fc.option(fc.constantFrom(80, 81), { nil: undefined }),
  alone: fc.boolean(),
  skew: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
})

/** A pod comes, or one of those that are there goes. */
const step = fc.oneof({ weight: 4, arbitrary: podRequest }, { weight: 1, arbitrary: fc.nat({ max: 20 }) })

function podOf(name: string, { app: of, cpu, port, alone, skew }: PodRequest): Pod {
  const labelSelector = { matchLabels: { app: of } }
  const spec: Partial<PodSpec> = {
    containers: [
      {
        name: "a",
        image: "a",
        resources: { requests: { cpu: `${cpu}m` } },
        ports: port === undefined ? [] : [{ containerPort: port, hostPort: port }],
      },
    ],
    ...(alone && {
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: host, labelSelector }] } },
    }),
    ...(skew && { topologySpreadConstraints: [{ maxSkew: skew, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector }] }),
  }
  return testPod(name, { labels: { app: of }, spec })
}

/** Decides as the controller does, and gives the node. */
function scheduled(pod: Pod, states: NodeStates, random: ReturnType<typeof seededRandom>): string | undefined {
  const seen = { pod: podFacts(pod, states.slots), nodes: states, namespaces: new Map(), volumes: { claims: [] }, untried: 0, budgets: [] }
  const [operation] = decide(seen, { now: 0, random }).steps[0]?.operations ?? []
  return operation?.do === "bind" && "node" in operation ? operation.node : undefined
}

const cpuOf = (pod: Pod) => Number.parseInt(String(pod.spec?.containers[0]?.resources?.requests?.cpu ?? "0"), 10)
const isAlone = ({ spec }: Pod) => spec?.affinity !== undefined

/** Counted from the pods themselves, not from the sums that the scheduler keeps. */
function checkNodes(there: readonly Pod[], nodes: readonly Node[]): void {
  for (const { metadata, status } of nodes) {
    const here = there.filter(({ spec }) => spec?.nodeName === metadata.name)
    expect(here.reduce((sum, pod) => sum + cpuOf(pod), 0)).toBeLessThanOrEqual(1000 * Number(status?.allocatable?.cpu))
    const ports = here.flatMap(({ spec }) => spec?.containers[0]?.ports?.map(({ hostPort }) => hostPort) ?? [])
    expect(new Set(ports).size).toBe(ports.length)
    for (const pod of here.filter(isAlone))
      expect(here.filter((other) => other.metadata.labels?.app === pod.metadata.labels?.app)).toEqual([pod])
  }
}

/** The moment a pod with a constraint comes, no zone may have too many more than another. */
function checkSkew(pod: Pod, there: readonly Pod[], nodes: readonly Node[]): void {
  for (const { maxSkew, labelSelector } of pod.spec?.topologySpreadConstraints ?? []) {
    const zoneOf = new Map(nodes.map(({ metadata }) => [metadata.name, metadata.labels?.zone ?? ""]))
    const counts = new Map([...zoneOf.values()].map((zone) => [zone, 0]))
    for (const { metadata, spec } of there)
      if (matchesLabels(selectorOf(labelSelector), metadata.labels)) {
        const zone = zoneOf.get(spec?.nodeName) ?? ""
        counts.set(zone, (counts.get(zone) ?? 0) + 1)
      }
    const own = counts.get(zoneOf.get(pod.spec?.nodeName) ?? "") ?? 0
    expect(own - Math.min(...counts.values())).toBeLessThanOrEqual(maxSkew)
  }
}

test("no node is over-committed, no port given twice, no anti-affinity violated, no zone overfull", () => {
  fc.assert(
    fc.property(fc.array(node, { minLength: 1, maxLength: 6 }), fc.array(step, { maxLength: 40 }), fc.nat(), (given, steps, seed) => {
      const nodes = given.map(({ cpu, zone, cordoned }, at) =>
        testNode(`n${at}`, { labels: { zone }, allocatable: { cpu: `${cpu}`, pods: "5" }, spec: { unschedulable: cordoned } }),
      )
      const states = new NodeStates()
      for (const object of nodes) states.nodeChanged({ type: "added", object })
      const random = seededRandom(seed)
      let there: readonly Pod[] = []
      for (const [at, what] of steps.entries()) {
        const leaving = typeof what === "number" ? there[what % Math.max(1, there.length)] : undefined
        if (leaving !== undefined) {
          states.podChanged({ type: "deleted", object: leaving, finalStateUnknown: false })
          there = there.filter((pod) => pod !== leaving)
        }
        if (typeof what === "number") continue
        const pod = podOf(`p${at}`, what)
        const nodeName = scheduled(pod, states, random)
        if (nodeName === undefined) continue
        const placed: Pod = { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName } }
        states.assume(podFacts(pod, states.slots), nodeName)
        if (at % 2 === 0) states.podChanged({ type: "updated", old: pod, object: placed })
        there = [...there, placed]
        checkNodes(there, nodes)
        checkSkew(placed, there, nodes)
      }
      for (const state of states.list()) expect(state.podCount).toBe(there.filter(({ spec }) => spec?.nodeName === state.name).length)
    }),
    { numRuns: 150 },
  )
})
