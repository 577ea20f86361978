import { isDeepStrictEqual } from "node:util"
import type { KubeObject } from "@pilothouse/api"
import { nodes, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { createControllers } from "@pilothouse/controllers"
import { type Controller, controller, type DecideContext, describePlan, type KubeOperation, type Plan, plan } from "@pilothouse/runtime"
import { milliseconds, seededRandom } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { namespace, oneOfEverything, surroundings } from "./everything.ts"

/** By the name of the controller: how many statuses it wrote alone, and what it would have done next. */
type Findings = Map<string, { alone: number; readonly broken: Set<string> }>

/** The status write that is all of a plan; undefined: there is more in it, or less. */
function onlyStatus({ steps }: Plan): (KubeOperation & { do: "status" }) | undefined {
  const operations = steps.flatMap((step) => step.operations)
  const [operation] = operations
  return operations.length === 1 && operation?.do === "status" ? (operation as KubeOperation & { do: "status" }) : undefined
}

/** The observation as it is once the object has its new status. */
function withStatus(value: unknown, old: unknown, next: KubeObject): unknown {
  if (value === old) return next
  if (Array.isArray(value)) return value.map((one) => withStatus(one, old, next))
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  // What was written is an object of the cache: nothing of the observation lies within it, or within others of its kind.
  if (Object.isFrozen(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withStatus(one, old, next)]))
}

/** The same controller; whenever it writes a status and nothing else, it is asked at once what it would do with that status. */
function asked(inner: Controller, findings: Findings): Controller {
  const found = { alone: 0, broken: new Set<string>() }
  findings.set(inner.name, found)
  return {
    ...inner,
    decide(observed, context) {
      const decided = inner.decide(observed, context)
      const written = onlyStatus(decided)
      if (written !== undefined) {
        found.alone++
        for (const broken of afterStatus(inner, observed, decided, written, context)) found.broken.add(broken)
      }
      return decided
    },
  }
}

function afterStatus(
  { decide, settle }: Controller,
  observed: unknown,
  decided: Plan,
  { object, status }: KubeOperation & { do: "status" },
  { now }: DecideContext,
): readonly string[] {
  const next = { ...object, metadata: { ...object.metadata, resourceVersion: "999999" }, status } as KubeObject
  const later = withStatus(observed, object, next)
  if (isDeepStrictEqual(later, observed)) return ["its observation does not have the object whose status it writes"]
  const context = { now, random: seededRandom(1) }
  const second = decide(later, context)
  const more = [second, ...(settle ? [settle(later, [], context)] : [])].flatMap(({ steps }) => steps.flatMap((step) => step.operations))
  return [
    ...(more.length > 0 ? [`it would write more: ${describePlan(second).join("; ")}`] : []),
    ...(waitOf(second) < waitOf(decided) ? [`it would be requeued sooner: ${describePlan(second).join("; ")}`] : []),
  ]
}

function waitOf({ requeue }: Plan): number {
  return requeue === undefined ? Number.POSITIVE_INFINITY : milliseconds(requeue.after)
}

test("a controller that breaks the promise is found out", () => {
  const findings: Findings = new Map()
  const counting = controller("counting", {
    for: nodes,
    ignoreOwnStatusWrites: true,
    observe: () => ({ node: { apiVersion: "v1", kind: "Node", metadata: { name: "a" }, status: { volumesInUse: ["x"] as string[] } } }),
    decide: ({ node }) => plan().status(node, { volumesInUse: [...node.status.volumesInUse, "x"] }, "it grows"),
  })
  const found = asked(counting, findings)
  const observed = found.observe("a", undefined as never, new AbortController().signal)
  found.decide(observed, { now: 0, random: seededRandom(1) })
  expect([...(findings.get("counting")?.broken ?? [])]).toEqual(["it would write more: write the status of Node a, because it grows"])
})

test("every controller that ignores its own status writes has nothing to do once it has written it, through the life of a namespace", async () => {
  const findings: Findings = new Map()
  const ignoring = createControllers({ select: ["*"] }).filter(({ ignoreOwnStatusWrites }) => ignoreOwnStatusWrites)
  const names = new Set(ignoring.map(({ name }) => name))
  const others = ["deployment", "statefulset", "daemonset", "garbagecollector", "namespace", "podgc", "job"]
  await using running = await cluster({ nodes: 3, controllers: others, extra: () => ignoring.map((one) => asked(one, findings)) })
  for (const object of [...surroundings, ...oneOfEverything()]) await running.apply(object)
  await running.advance("3m")
  for (const object of oneOfEverything({ replicas: 4, image: "example/web:2" }).filter(({ kind }) => kind !== "Job"))
    await running.apply(object)
  await running.advance("3m")
  // No volume controller runs: the claim is bound by hand, and the only pod that uses it goes.
  await running.client.patch(persistentVolumeClaims, `${namespace}/claim`, { status: { phase: "Bound" } }, { subresource: "status" })
  await running.advance("1m")
  const [first] = await running.list(pods, { namespace })
  await running.client.delete(pods, `${namespace}/${first?.metadata.name}`, { gracePeriodSeconds: 0 })
  await running.client.delete(nodes, (await running.list(nodes))[0]?.metadata.name ?? "")
  await running.advance("3m")
  expect(Object.fromEntries([...findings].map(([name, { broken }]) => [name, [...broken]]))).toEqual(
    Object.fromEntries([...names].map((name) => [name, []])),
  )
  expect([...findings].filter(([, { alone }]) => alone === 0)).toEqual([])
})
