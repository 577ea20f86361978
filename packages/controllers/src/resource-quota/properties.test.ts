import {
  addResources,
  type Descriptor,
  formatResources,
  isForbidden,
  isInQuotaScopes,
  isNotFound,
  quotaUsage,
  type Resources,
} from "@pilothouse/api"
import { configMaps, pods, type ResourceQuota, resourceQuotas } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import fc from "fast-check"
import { expect, test } from "vitest"
import { configMap, type PodFacts, pod, quota } from "./testing/quotas.ts"

type Action =
  | { readonly do: "pod"; readonly name: string; readonly facts: PodFacts }
  | { readonly do: "end" | "delete" | "map" | "unmap"; readonly name: string }
  | { readonly do: "limit"; readonly pods: number; readonly cpu: number }
  | { readonly do: "crash" | "wait" }

const name = fc.constantFrom("a", "b", "c", "d")
const facts = fc.record(
  { cpu: fc.constantFrom("100m", "1", "1500m"), deadline: fc.constant(100_000) },
  { requiredKeys: [] },
) satisfies fc.Arbitrary<PodFacts>

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pod" as const), name, facts }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("end" as const, "delete" as const, "map" as const, "unmap" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("limit" as const), pods: fc.nat(4), cpu: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("crash" as const, "wait" as const) }) },
)

const hard = { pods: "3", "count/pods": "9", "requests.cpu": "3", configmaps: "3" }
const quotas: readonly ResourceQuota[] = [
  quota({ hard }),
  { ...quota({ hard: { pods: "2" }, scopes: ["NotTerminating"] }), metadata: { name: "staying", namespace: "default" } },
  { ...quota({ hard: { pods: "9" }, scopes: ["BestEffort"] }), metadata: { name: "free", namespace: "default" } },
]

/** What a full quota refuses, and what is not there, is part of life. */
async function attempt(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isForbidden(error) && !isNotFound(error)) throw error
  })
}

async function act(running: Cluster, one: Action): Promise<void> {
  switch (one.do) {
    case "pod":
      if ((await running.list(pods)).some(({ metadata }) => metadata.name === one.name)) return
      return attempt(running.apply(pod(one.name, one.facts)))
    case "end":
      return attempt(running.client.patch(pods, `default/${one.name}`, { status: { phase: "Failed" } }, { subresource: "status" }))
    case "delete":
      return attempt(running.client.delete(pods, `default/${one.name}`, { gracePeriodSeconds: 0 }))
    case "map":
      return attempt(running.apply(configMap(one.name)))
    case "unmap":
      return attempt(running.client.delete(configMaps, `default/${one.name}`))
    case "limit": {
      const changed = { pods: String(one.pods), "requests.cpu": String(one.cpu) }
      return attempt(running.client.patch(resourceQuotas, "default/quota", { spec: { hard: changed } }))
    }
    case "crash":
      return running.restartControllers()
    case "wait":
      return running.advance("2s")
  }
}

/** Straight from the server's lists, by hand. */
async function recount(running: Cluster, counted: ResourceQuota): Promise<Record<string, string>> {
  let sum: Resources = new Map()
  const kinds: readonly Descriptor[] = [pods, configMaps]
  for (const kind of kinds) {
    for (const object of await running.list(kind, { namespace: "default" })) {
      if (isInQuotaScopes(counted, kind, object)) sum = addResources(sum, quotaUsage(kind, object, running.clock.now()))
    }
  }
  const texts = formatResources(sum)
  return Object.fromEntries(Object.keys(counted.spec?.hard ?? {}).map((limit) => [limit, texts[limit] ?? "0"]))
}

test("after creates, ends, deletes and crashes the usage equals a recount", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 30, size: "max" }), async (actions) => {
      await using running = await cluster({ controllers: ["resourcequota"] })
      for (const one of quotas) await running.apply(one)
      await running.settled()
      for (const one of actions) await act(running, one)
      await running.advance("5s")
      for (const one of await running.list(resourceQuotas)) {
        expect(one.status).toEqual({ hard: one.spec?.hard, used: await recount(running, one) })
      }
    }),
    { numRuns: 20 },
  )
})
