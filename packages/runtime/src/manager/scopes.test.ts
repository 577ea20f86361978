import { forbidden, keyOf } from "@pilothouse/api"
import { type ConfigMap, configMaps, type Namespace, namespaces } from "@pilothouse/api/core/v1"
import { type Clock, type Transport, valueBody } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { controller } from "../controller/controller.ts"
import { plan } from "../controller/plan/plan-builder.ts"
import { createManager, type ManagerOptions } from "./manager.ts"

function configMap(namespace: string, name: string, labels: Record<string, string> = {}): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels } }
}

const team: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } }

/** Marks every ConfigMap it sees, and makes another beside the first where `beside` says so. */
function marking(seen: string[], beside?: ConfigMap) {
  return controller("marking", {
    for: configMaps,
    observe: (key, read) => {
      seen.push(key)
      return read.get(configMaps, key)
    },
    decide: (map) => {
      if (map.metadata.annotations?.marked === "twice") return plan().nothing()
      const marked = map.metadata.annotations?.marked === "once" ? "twice" : "once"
      const made = plan().patch(map, { metadata: { annotations: { marked } } }, "it is not marked")
      return beside === undefined ? made : made.create(beside, "it belongs to it", { tolerate: ["AlreadyExists"] })
    },
  })
}

/** As for a user who has a Role in team-a and nothing else. */
function onlyIn(namespace: string, inner: Transport): Transport {
  const refusal = forbidden(configMaps, "", `not in ${namespace}`).status
  return async (request) =>
    request.path.includes(`/namespaces/${namespace}/`) ? inner(request) : { status: 403, headers: {}, body: valueBody(refusal) }
}

async function play(options: Partial<ManagerOptions>, wrap = (transport: Transport) => transport) {
  await using c = await cluster({ nodes: 0, controllers: [] })
  await c.apply(team)
  for (const map of [configMap("default", "one"), configMap("team-a", "two"), configMap("team-a", "three", { app: "web" })])
    await c.apply(map)
  const stop = new AbortController()
  const { clock, random }: { clock: Clock; random: ManagerOptions["random"] } = c
  const manager = createManager({ controllers: [], transport: wrap(c.transport), clock, random, ...options })
  const running = manager.run(stop.signal)
  // Long before a bookmark could show what no cache of the scope does.
  await c.advance("5s")
  stop.abort()
  await c.advance("1s")
  await running
  return (await c.list(configMaps)).filter(({ metadata }) => metadata.annotations?.marked === "twice").map(keyOf)
}

test("a manager of one namespace needs a Role in it and no more, and sees nothing else", async () => {
  const seen: string[] = []
  const marked = await play({ controllers: [marking(seen)], namespace: "team-a" }, (inner) => onlyIn("team-a", inner))
  expect(marked.filter((key) => !key.endsWith("kube-root-ca.crt"))).toEqual(["team-a/three", "team-a/two"])
  expect(seen.every((key) => key.startsWith("team-a/"))).toBe(true)
})

test("a label selector limits one kind", async () => {
  const marked = await play({ controllers: [marking([])], scopes: [{ of: configMaps, labelSelector: "app=web" }] })
  expect(marked).toEqual(["team-a/three"])
})

test.each([
  ["in another namespace", { namespace: "team-a" }, configMap("default", "beside")],
  ["without the labels", { scopes: [{ of: configMaps, labelSelector: "app=web" }] }, configMap("team-a", "beside")],
])("does not wait for the cache to show what was created %s", async (_where, options, beside) => {
  expect(await play({ controllers: [marking([], beside)], ...options })).toContain("team-a/three")
})

test.each<[string, Partial<ManagerOptions>, string]>([
  ["an empty namespace", { namespace: "" }, 'expected a namespace, found ""'],
  ["a namespace of what has none", { scopes: [{ of: namespaces, namespace: "x" }] }, "expected no namespace in the scope of namespaces"],
  ["a selector that cannot be read", { scopes: [{ of: configMaps, labelSelector: "a in" }] }, "unable to parse requirement"],
])("%s is refused before anything runs", async (_what, options, message) => {
  await expect(play({ controllers: [marking([])], ...options })).rejects.toThrow(message)
})
