import type { ObjectOf } from "@pilothouse/api"
import { customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { type ApplyConfiguration, controller, plan } from "@pilothouse/runtime"
import { defineKind } from "@pilothouse/runtime/kinds"
import { expect, test } from "vitest"
import { z } from "zod"
import { cluster } from "./cluster.ts"

const named = { group: "example.com", version: "v1" }

const queues = defineKind({
  ...named,
  kind: "Queue",
  spec: z.object({
    size: z.int().min(1).default(3),
    limit: z.int(),
    mode: z.enum(["fast", "safe"]).optional(),
    port: z.union([z.int(), z.string()]).optional(),
    name: z
      .string()
      .max(20)
      .optional()
      .meta({ "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is immutable" }] }),
    storage: z
      .discriminatedUnion("type", [
        z.object({ type: z.literal("disk"), size: z.int() }),
        z.object({ type: z.literal("memory"), limits: z.record(z.string(), z.string()).optional() }),
      ])
      .optional(),
    contact: z.email().optional(),
    id: z.uuid().optional(),
    since: z.iso.datetime().optional(),
    address: z.ipv4().nullable().optional(),
  }),
  status: z.object({ seen: z.int().optional() }),
  rules: [
    {
      rule: "self.spec.size <= self.spec.limit",
      messageExpression: "self.spec.limit > 2 ? 'above the limit' : 'above the least limit'",
      reason: "FieldValueForbidden",
      fieldPath: ".spec.size",
    },
    {
      rule: "!oldSelf.hasValue() || self.spec.limit >= oldSelf.value().spec.limit",
      message: "the limit only grows",
      optionalOldSelf: true,
    },
  ],
})

const counter = controller("queue-counter", {
  for: queues,
  observe: (key, read) => read.get(queues, key),
  decide: (queue) =>
    queue.status?.seen === queue.spec.size
      ? plan().nothing("the status is up to date")
      : plan().status(queue, { seen: queue.spec.size }, "the size is counted"),
})

const queue = (spec: object) => ({ apiVersion: "example.com/v1", kind: "Queue", metadata: { name: "a", namespace: "default" }, spec })

test("a controller reads and writes objects of a kind, with its defaults", async () => {
  await using c = await cluster({ crds: [queues], extra: [counter] })
  await c.apply(queue({ limit: 5 }))
  await c.settled()
  expect(await c.client.get(queues, "default/a")).toMatchObject({ spec: { size: 3, limit: 5 }, status: { seen: 3 } })
})

test.each<[string, object, string]>([
  ["a rule", { limit: 2 }, 'Queue.example.com "a" is invalid: spec.size: Forbidden: above the least limit'],
  ["a bound", { limit: 2, size: 0 }, "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"],
  ["an enum", { limit: 5, mode: "slow" }, 'spec.mode: Unsupported value: "slow": supported values: "fast", "safe"'],
  ["a missing field", {}, "spec.limit: Required value"],
  ["a format", { limit: 5, address: "a" }, 'spec.address: Invalid value: "a": spec.address in body must be of type ipv4: "a"'],
  ["a variant", { limit: 5, storage: { type: "disk" } }, "spec.storage.size: Required value"],
  [
    "a discriminator",
    { limit: 5, storage: { type: "tape" } },
    'spec.storage.type: Unsupported value: "tape": supported values: "disk", "memory"',
  ],
])("the server refuses what breaks %s, in the words of kube-apiserver", async (_, spec, message) => {
  await using c = await cluster({ crds: [queues], controllers: [], nodes: 0 })
  await expect(c.apply(queue(spec))).rejects.toThrow(message)
})

test("rules see the object as it was", async () => {
  await using c = await cluster({ crds: [queues], controllers: [], nodes: 0 })
  await c.apply(queue({ limit: 5, name: "a" }))
  await expect(c.client.patch(queues, "default/a", { spec: { limit: 4 } })).rejects.toThrow("the limit only grows")
  await expect(c.client.patch(queues, "default/a", { spec: { name: "b" } })).rejects.toThrow('spec.name: Invalid value: "b": is immutable')
})

test("everything that a schema may have is taken by the server, which finds the schema structural", async () => {
  await using c = await cluster({ crds: [queues], controllers: [], nodes: 0 })
  const made = await c.client.get(customResourceDefinitions, "queues.example.com")
  const conditions = made.status?.conditions?.map(({ type, status }) => `${type} ${status}`)
  expect(conditions?.toSorted()).toEqual(["Established True", "NamesAccepted True"])
  const spec = {
    limit: 5,
    mode: "safe",
    port: "http",
    storage: { type: "memory", limits: { a: "b" } },
    contact: "a@example.com",
    id: "123e4567-e89b-42d3-a456-426614174000",
    since: "2026-01-05T09:00:00Z",
    address: null,
  }
  expect(await c.apply(queue(spec))).toMatchObject({ spec: { ...spec, size: 3 } })
})

test("a rule that does not compile is refused when the kind is installed, in cel-go's words", async () => {
  const wrong = defineKind({ ...named, kind: "Wrong", spec: z.object({ size: z.int() }), rules: [{ rule: "self.spec.size < 'a'" }] })
  await expect(cluster({ crds: [wrong], controllers: [], nodes: 0 })).rejects.toThrow(
    /expected a CustomResourceDefinition that the server takes in crds\[0\], found: .*compilation failed: ERROR: <input>:1:16: found no matching overload for '_<_' applied to '\(int, string\)'/s,
  )
})

test("a client knows the kind as any other", async () => {
  await using c = await cluster({ crds: [queues], controllers: [], nodes: 0 })
  await c.client.create(queues, { ...queue({}), spec: { size: 1, limit: 2 } })
  await c.client.apply(queues, { metadata: { name: "a", namespace: "default" }, spec: { limit: 3 } }, { fieldManager: "test", force: true })
  expect(await c.client.get(queues, "default/a")).toMatchObject({ spec: { size: 1, limit: 3 } })
  // @ts-expect-error a misspelled field
  const wrong: ApplyConfiguration<ObjectOf<typeof queues>>["spec"] = { limmit: 4 }
  await expect(c.client.patch(queues, "default/a", { spec: wrong })).resolves.toMatchObject({ spec: { size: 1, limit: 3 } })
  expect(await c.list(queues)).toHaveLength(1)
})
