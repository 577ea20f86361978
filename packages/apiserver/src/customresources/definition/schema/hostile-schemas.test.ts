import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { VirtualClock } from "@pilothouse/seams"
import { beforeAll, expect, test } from "vitest"
import { loadPatterns } from "../../schema/formats/pattern.ts"
import { loadRules } from "../../schema/rules.ts"
import { forCreate } from "../ratchet.ts"
import { rootSchemaErrors } from "../root-schema-rules.ts"

beforeAll(async () => {
  await loadPatterns(new VirtualClock())
  await loadRules(new VirtualClock())
})

/** What a client may send: at most 1000 levels and about 1 MB. */
const hostile: Readonly<Record<string, () => JSONSchemaProps>> = {
  "items within items": () =>
    Array.from({ length: 900 }).reduce<JSONSchemaProps>(
      (inner) => ({ items: inner, "x-kubernetes-validations": [{ rule: "", fieldPath: ".x" }] }),
      {},
    ),
  "logic within logic": () =>
    Array.from({ length: 450 }).reduce<JSONSchemaProps>((inner) => ({ allOf: [inner, { type: "string" }], properties: { a: {} } }), {}),
  "many properties without types": () => ({
    properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, {}])),
  }),
  "many keys that are not there": () => ({
    type: "array",
    items: { type: "object" },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": Array.from({ length: 20_000 }, (_, index) => `k${index}`),
  }),
  "many defaults that are wrong": () => ({
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, { type: "string", default: index }])),
  }),
  "defaults within defaults, each with a rule": () =>
    Array.from({ length: 450 }).reduce<JSONSchemaProps>(
      (inner) => ({ type: "object", default: {}, properties: { a: inner }, "x-kubernetes-validations": [{ rule: "has(self.a)" }] }),
      { type: "string" },
    ),
  "many dear rules of defaults": () => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => {
        const rules = [{ rule: "self.all(a, self.all(b, self.all(c, self.all(d, a + b + c + d > 0))))" }]
        const items = { type: "integer", default: 1 }
        return [`p${index}`, { type: "array", items, default: Array.from({ length: 20 }, () => 1), "x-kubernetes-validations": rules }]
      }),
    ),
  }),
  "a root that status does not allow": () => ({
    type: "object",
    maxProperties: 1,
    properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: "string" }])),
  }),
}

test.each(Object.keys(hostile))("a schema of %s is refused at once, in a bounded answer", (name) => {
  const schema = hostile[name]!()
  const before = process.cpuUsage()
  const errors = rootSchemaErrors({ openAPIV3Schema: schema }, true, "spec.validation", forCreate)
  const { user, system } = process.cpuUsage(before)
  // Tens of milliseconds; a quadratic rule takes minutes.
  expect((user + system) / 1000).toBeLessThan(5000)
  expect(errors.length).toBeGreaterThan(0)
  expect(errors.reduce((sum, { field, message }) => sum + field.length + message.length, 0)).toBeLessThan(12_000_000)
})
