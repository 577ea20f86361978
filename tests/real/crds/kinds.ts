import { defineKind, type Kind } from "@pilothouse/runtime/kinds"
import { z } from "zod"
import type { Tally } from "../tally.ts"
import { compare, compareSettled, type Servers } from "./judge-definitions.ts"

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const named = { group: "kinds.example.com", version: "v1" }

/** Every construct of zod that a structural schema holds. */
const jars = defineKind({
  ...named,
  kind: "Jar",
  shortNames: ["jr"],
  description: "A jar.",
  spec: z.object({
    size: z.int().min(1).max(99).default(3).describe("How much it holds."),
    limit: z.int().positive(),
    small: z.int32().optional(),
    share: z.number().gt(0).lt(1).multipleOf(0.25).optional(),
    mode: z.enum(["fast", "safe"]).optional(),
    port: z.union([z.int(), z.string()]).nullable().optional(),
    name: z
      .string()
      .min(2)
      .max(20)
      .regex(/^a/)
      .regex(/b$/)
      .optional()
      .meta({ "x-kubernetes-validations": [{ rule: "self != 'aab'", message: "is taken" }] }),
    parts: z
      .array(z.object({ name: z.string(), tags: z.array(z.string()).optional() }))
      .max(3)
      .optional()
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
    labels: z.record(z.string(), z.string().max(3)).optional(),
    open: z.looseObject({ known: z.boolean().optional() }).optional(),
    any: z.unknown().meta({ "x-kubernetes-preserve-unknown-fields": true }).optional(),
    storage: z
      .discriminatedUnion("type", [z.object({ type: z.literal("disk"), size: z.int() }), z.object({ type: z.enum(["memory", "none"]) })])
      .optional(),
    contact: z.email().optional(),
    link: z.url().optional(),
    id: z.uuid().optional(),
    since: z.iso.datetime().optional(),
    day: z.iso.date().optional(),
    address: z.ipv4().nullable().optional(),
    address6: z.ipv6().optional(),
    range: z.cidrv4().optional(),
    pause: z.string().meta({ format: "duration" }).optional(),
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
  printerColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
  scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.seen" },
  selectableFields: [{ jsonPath: ".spec.mode" }],
})

const spec = z.object({ size: z.int(), text: z.string().optional() })

/** Definitions with rules that a server refuses: for their types, their cost and their fields. */
const refused: readonly Kind<never>[] = [
  { rule: "self.spec.size < 'a'" },
  { rule: "self.spec.sise > 1" },
  { rule: "self.spec.size >" },
  { rule: "self.spec.size > 1", messageExpression: "'at least ' + string(self.spec.size)" },
  { rule: "self.spec.size > 1", fieldPath: ".spec.sise" },
  { rule: "self.spec.text.matches('a')" },
].map((rule, index) => defineKind({ ...named, kind: `Refused${index}`, spec, rules: [rule] }) as Kind<never>)

const specs: readonly object[] = [
  { limit: 5 },
  {},
  { limit: 0 },
  { limit: 2 },
  { limit: 5, size: 100 },
  { limit: 5, small: 2147483648 },
  ...[0, 1, 0.3, 0.5].map((share) => ({ limit: 5, share })),
  ...["slow", null, 1].map((mode) => ({ limit: 5, mode })),
  ...["http", 80, null, true, 1.5].map((port) => ({ limit: 5, port })),
  ...["a", "ab", "bb", "aab", "a".repeat(21)].map((name) => ({ limit: 5, name })),
  { limit: 5, parts: [{ name: "a" }, { name: "a" }] },
  { limit: 5, parts: [{ tags: [] }] },
  { limit: 5, labels: { a: "long" } },
  { limit: 5, open: { known: true, other: 1 }, any: [1, { a: null }] },
  ...[{ type: "disk" }, { type: "disk", size: 1 }, { type: "memory" }, { type: "tape" }, {}].map((storage) => ({ limit: 5, storage })),
  ...["a", "a@example.com", ".a@example.com"].map((contact) => ({ limit: 5, contact })),
  ...["a", "https://example.com/"].map((link) => ({ limit: 5, link })),
  ...["a", "123e4567-e89b-42d3-a456-426614174000"].map((id) => ({ limit: 5, id })),
  ...["2026-01-05T09:00:00Z", "2026-01-05T09:00:00+01:00", "2026"].map((since) => ({ limit: 5, since })),
  ...["2026-01-05", "2026-13-05"].map((day) => ({ limit: 5, day })),
  ...["10.0.0.1", "10.0.0", null, "::1"].map((address) => ({ limit: 5, address })),
  ...["::1", "10.0.0.1"].map((address6) => ({ limit: 5, address6 })),
  ...["10.0.0.0/8", "10.0.0.0"].map((range) => ({ limit: 5, range })),
  ...["5m", "PT5M"].map((pause) => ({ limit: 5, pause })),
]

/** Definitions of defineKind, and objects of one that has everything. */
export async function judgeKinds(tally: Tally, servers: Servers): Promise<void> {
  await tally.group("definitions and objects of defineKind", async (group) => {
    for (const { definition, kind } of refused) {
      await compare(group, kind, servers, { verb: "POST", path, query: { dryRun: "All" }, body: definition })
    }
    const { definition } = jars
    const status = await compare(group, jars.kind, servers, { verb: "POST", path, body: definition })
    group.note(`the definition of ${jars.kind} is answered with ${status}`)
    await compareSettled(group, `${jars.kind}, established`, servers, definition.metadata.name ?? "")
    for (const spec of specs) {
      const body = { apiVersion: "kinds.example.com/v1", kind: jars.kind, metadata: { name: "a", namespace: "default" }, spec }
      const objects = "/apis/kinds.example.com/v1/namespaces/default/jars"
      await compare(group, JSON.stringify(spec), servers, { verb: "POST", path: objects, query: { dryRun: "All" }, body })
    }
  })
}
