import { expect, test } from "vitest"
import { z } from "zod"
import { defineKind } from "./index.ts"

const described = {
  group: "example.com",
  version: "v1",
  kind: "Website",
  shortNames: ["site"],
  categories: ["web"],
  description: "A site.",
  spec: z.object({ image: z.string().min(1).describe("What runs."), replicas: z.int().min(0).default(1) }),
  status: z.object({ ready: z.int().optional() }),
  rules: [{ rule: "self.spec.replicas < 10", message: "too many", reason: "FieldValueInvalid", fieldPath: ".spec.replicas" }],
  printerColumns: [{ name: "Image", type: "string", jsonPath: ".spec.image" }],
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.ready" },
  selectableFields: [{ jsonPath: ".spec.image" }],
} as const

const websites = defineKind(described)

test("a kind is a descriptor", () => {
  expect(websites).toMatchObject({
    group: "example.com",
    version: "v1",
    kind: "Website",
    plural: "websites",
    singular: "website",
    shortNames: ["site"],
    categories: ["web"],
    namespaced: true,
    subresources: [{ name: "scale", kind: "autoscaling/v1/Scale" }, { name: "status" }],
  })
})

test("a kind has its definition", () => {
  expect(websites.definition).toEqual({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "websites.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Website", plural: "websites", singular: "website", shortNames: ["site"], categories: ["web"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {}, scale: described.scale },
          additionalPrinterColumns: described.printerColumns,
          selectableFields: described.selectableFields,
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: "A site.",
              required: ["spec"],
              properties: {
                spec: {
                  type: "object",
                  required: ["image"],
                  properties: {
                    image: { type: "string", minLength: 1, description: "What runs." },
                    replicas: { type: "integer", minimum: 0, default: 1 },
                  },
                },
                status: { type: "object", properties: { ready: { type: "integer" } } },
              },
              "x-kubernetes-validations": described.rules,
            },
          },
        },
      ],
    },
  })
})

test("what is not given is not in the definition", () => {
  const { definition, ...kind } = defineKind({
    group: "example.com",
    version: "v1",
    kind: "Policy",
    scope: "Cluster",
    plural: "rules",
    spec: z.object({}).optional(),
  })
  expect(kind).toMatchObject({ namespaced: false, plural: "rules", subresources: [] })
  expect(definition.spec).toEqual({
    group: "example.com",
    scope: "Cluster",
    names: { kind: "Policy", plural: "rules", singular: "policy" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
      },
    ],
  })
})

test("the types of objects come from the schemas", () => {
  type Website = NonNullable<Parameters<(one: import("@pilothouse/api").ObjectOf<typeof websites>) => void>[0]>
  const site: Website = { apiVersion: "example.com/v1", kind: "Website", metadata: {}, spec: { image: "a", replicas: 1 } }
  // @ts-expect-error a misspelled field
  expect(site.spec.replcas).toBeUndefined()
  // @ts-expect-error another type
  const wrong: Website["spec"] = { image: 1, replicas: 1 }
  // @ts-expect-error a field that is missing
  const missing: Website["spec"] = { replicas: 1 }
  const change = (one: Website) => {
    // @ts-expect-error objects of caches are read-only
    one.spec.replicas = 2
    // @ts-expect-error a misspelled field of the status
    return one.status?.raedy
  }
  expect([wrong, missing, change.length]).toHaveLength(3)
})

test.each<[string, unknown, string]>([
  ["no schema", {}, "expected a schema of zod 4 for the spec of Website, found object; write z.object({ … })"],
  ["a scalar", z.string(), "expected an object for the spec of Website, found string; write z.object({ … })"],
])("refuses %s for a spec", (_, spec, message) => {
  expect(() => defineKind({ ...described, spec: spec as z.ZodObject })).toThrow(message)
})
