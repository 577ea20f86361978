import { isDeepStrictEqual } from "node:util"
import { namespaces, nodes } from "@pilothouse/api/core/v1"
import { controllers, createControllers } from "@pilothouse/controllers"
import { type Controller, controller, type DecideContext, type Plan, plan } from "@pilothouse/runtime"
import { seededRandom, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { namespace, objectsOffByDefault, oneOfEverything, rootCa, surroundings, versionsOffByDefault } from "./everything.ts"
import { attachAndExpand, storedByGoneServer } from "./everything-cluster.ts"

/** What was found while the controllers ran. */
interface Findings {
  readonly decided: Map<string, number>
  readonly impure: Set<string>
}

/** The same controller, which decides everything twice, from the same observation, and tells when the two differ or the observation has changed. */
function twice(inner: Controller, { decided, impure }: Findings): Controller {
  const check = (what: string, observed: unknown, { now }: DecideContext, decide: (context: DecideContext) => Plan): Plan => {
    const count = (decided.get(inner.name) ?? 0) + 1
    decided.set(inner.name, count)
    const before = copyOf(observed)
    const [first, second] = [decide({ now, random: seededRandom(count) }), decide({ now, random: seededRandom(count) })]
    if (!isDeepStrictEqual(fieldsOf(first), fieldsOf(second))) impure.add(`${inner.name}: ${what} said something else the second time`)
    if (!isDeepStrictEqual(observed, before)) impure.add(`${inner.name}: ${what} changed what was observed`)
    return second
  }
  const { settle } = inner
  return {
    ...inner,
    observe(key, read, signal) {
      const first = inner.observe(key, read, signal)
      // What waits for the server may see another cache the second time.
      if (first instanceof Promise) return first
      if (!isDeepStrictEqual(first, inner.observe(key, read, signal)))
        impure.add(`${inner.name}: observe saw something else the second time`)
      return first
    },
    decide: (observed, context) => check("decide", observed, context, (again) => inner.decide(observed, again)),
    settle: settle && ((observed, results, context) => check("settle", observed, context, (again) => settle(observed, results, again))),
  }
}

/** A plan that was built has getters, which no comparison sees. */
function fieldsOf({ steps, events, requeue, waitingFor, summary }: Plan): Plan {
  return { steps, events, requeue, waitingFor, summary }
}

/** Of what could be changed: objects of caches are frozen, and stand for themselves. */
function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  if (Array.isArray(value)) return value.map(copyOf)
  if (value instanceof Map) return new Map([...value].map(([key, of]) => [key, copyOf(of)]))
  if (value instanceof Set) return new Set(value)
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, copyOf(of)]))
}

/** It goes without a volume: for the sweeper. */
const claimThatNothingFits = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "waiting", namespace },
  spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
}

/** Every controller of the table, with all that they need. */
function allControllers(findings: Findings): readonly Controller[] {
  const files = virtualFiles(new VirtualClock())
  const needs = { files, volumeRoot: "/srv/volumes", rootCa, signToken: () => "signed" }
  const settings = { "enable-hostpath-provisioner": true, "allocate-node-cidrs": true, "cluster-cidr": "10.44.0.0/16" }
  return createControllers({ select: controllers.map(({ name }) => name), settings, needs }).map((one) => twice(one, findings))
}

test("a controller with a memory of its own is found out", () => {
  const findings: Findings = { decided: new Map(), impure: new Set() }
  const seen: string[] = []
  const counting = controller("counting", {
    for: nodes,
    observe: (key) => ({ key, looks: seen.push(key) }),
    decide: (observed: { looks: number }) => {
      observed.looks++
      return plan().nothing(`decided ${seen.push("")} times`)
    },
  })
  const found = twice(counting, findings)
  const observed = found.observe("a", undefined as never, new AbortController().signal)
  found.decide(observed, { now: 0, random: seededRandom(1) })
  expect([...findings.impure]).toEqual([
    "counting: observe saw something else the second time",
    "counting: decide said something else the second time",
    "counting: decide changed what was observed",
  ])
})

test("every controller decides the same when it is asked twice, through the life of a namespace with one of everything", async () => {
  const findings: Findings = { decided: new Map(), impure: new Set() }
  await using running = await cluster({
    nodes: 3,
    controllers: [],
    enabledVersions: versionsOffByDefault,
    extra: () => allControllers(findings),
  })
  for (const object of [...surroundings, ...objectsOffByDefault, ...oneOfEverything(), claimThatNothingFits]) await running.apply(object)
  await storedByGoneServer(running)
  await running.advance("3m")
  for (const object of oneOfEverything({ replicas: 4, image: "example/web:2" }).filter(({ kind }) => kind !== "Job"))
    await running.apply(object)
  await attachAndExpand(running)
  await running.advance("2m")
  // A node that has no heartbeat any more, and one whose pods have to leave.
  const [first, second] = (await running.list(nodes)).map(({ metadata }) => metadata.name ?? "")
  await running.client.delete(nodes, first ?? "")
  await running.client.patch(nodes, second ?? "", { spec: { taints: [{ key: "example.com/out", effect: "NoExecute" }] } })
  await running.advance("3m")
  await running.client.delete(namespaces, namespace)
  await running.advance("3m")
  expect([...findings.impure]).toEqual([])
  const silent = allControllers(findings).filter(({ name }) => !findings.decided.has(name))
  expect(silent.map(({ name }) => name)).toEqual([])
})
