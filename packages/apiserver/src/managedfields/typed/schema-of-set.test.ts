import type { Schema } from "@pilothouse/api"
import { schemaOf, schemaOfType } from "@pilothouse/api/schemas"
import { describe, expect, test } from "vitest"
import { type FieldPath, setOfPaths } from "../fieldpath/index.ts"
import { pathTexts } from "../testing/history.ts"
import { anything, atomic, keyedBy, mapOf, object, raw, setOf, text } from "../testing/schemas.ts"
import { ensureNamedFields, reconcileSet } from "./schema-of-set.ts"
import { toFieldSet } from "./to-field-set.ts"
import { typedErrors } from "./typed-errors.ts"

const pair = object({ a: text, b: text })
const parts = { struct: pair, list: setOf(text), items: keyedBy(["a"], pair), map: mapOf(text), same: pair }
const granular = object({ ...parts, deep: mapOf(object(parts)), free: anything, opaque: raw })
const whole = object({
  ...Object.fromEntries(Object.entries(parts).map(([name, schema]) => [name, name === "same" ? schema : atomic(schema)])),
  deep: mapOf(object({ ...parts, struct: atomic(pair) })),
  free: anything,
  opaque: raw,
})

const [one, item] = ['v:"one"', 'k:{"a":"1"}']
const reaching: readonly FieldPath[] = [
  ["f:struct", "f:a"],
  ["f:list", one],
  ["f:items", item],
  ["f:items", item, "f:b"],
  ["f:map", "f:k"],
  ["f:same", "f:a"],
]

describe("a set is reconciled with its schema", () => {
  const rows: readonly (readonly [title: string, schema: Schema, paths: readonly FieldPath[], expected: readonly string[] | undefined])[] =
    [
      ["what is atomic now is a member itself", whole, reaching, [".items", ".list", ".map", ".struct", ".same.a"]],
      ["nothing changes where nothing is atomic", granular, reaching, undefined],
      [
        "nothing changes where the set does not reach into what is atomic",
        whole,
        [["f:struct"], ["f:list"], ["f:items"], ["f:map"]],
        undefined,
      ],
      [
        "below a key of a map",
        whole,
        [
          ["f:deep", "f:k"],
          ["f:deep", "f:k", "f:struct", "f:a"],
          ["f:deep", "f:k", "f:list", one],
        ],
        [".deep.k", ".deep.k.struct", '.deep.k.list[="one"]'],
      ],
      ["values without a type are left alone", whole, [["f:free", "f:a", "f:b"]], undefined],
      ["opaque values are atomic", whole, [["f:opaque", "f:a", "f:b"]], [".opaque"]],
      [
        "fields that are not in the schema are left alone",
        whole,
        [
          ["f:gone", "f:a"],
          ["f:same", item, "f:x"],
        ],
        undefined,
      ],
      ["a member besides what is below it", whole, [["f:struct"], ["f:struct", "f:a"]], [".struct"]],
      ["an empty set", whole, [], undefined],
    ]
  test.each(rows)("%s", (_title, schema, paths, expected) => {
    const set = setOfPaths(paths)
    const reconciled = reconcileSet(set, schema)
    expect(reconciled && pathTexts(reconciled)).toEqual(expected)
    expect(reconcileSet(set, schema), "again").toBe(reconciled)
  })
})

test("named fields become members, keys of maps and items do not", () => {
  const set = setOfPaths([
    ["f:deep", "f:k", "f:struct", "f:a"],
    ["f:items", item, "f:b"],
    ["f:free", "f:x", "f:y"],
    ["f:gone", "f:z"],
  ])
  // Members of a node come before those below it.
  expect(pathTexts(ensureNamedFields(set, granular))).toEqual([
    ".deep",
    ".free",
    ".items",
    ".deep.k.struct",
    ".deep.k.struct.a",
    ".free.x.y",
    ".gone.z",
    '.items[a="1"].b',
  ])
  const all = setOfPaths([["f:struct"], ["f:struct", "f:a"]])
  expect(ensureNamedFields(all, granular)).toBe(all)
})

describe("what Kubernetes' schemas say", () => {
  const of = (apiVersion: string, kind: string) => {
    const [version = "", group = ""] = apiVersion.split("/").reverse()
    return schemaOf({ group, version, kind })!
  }
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }
  const rows: readonly (readonly [title: string, schema: Schema, value: unknown, paths: readonly string[]])[] = [
    [
      "labels and annotations by key",
      of("v1", "Pod"),
      { metadata: { labels: { a: "1" }, annotations: { b: "2" } } },
      [".metadata.annotations.b", ".metadata.labels.a"],
    ],
    ["finalizers as a set", of("v1", "Pod"), { metadata: { finalizers: ["x"] } }, ['.metadata.finalizers[="x"]']],
    ["owners by uid, each as a whole", of("v1", "Pod"), { metadata: { ownerReferences: [owner] } }, ['.metadata.ownerReferences[uid="u"]']],
    ["selectors as a whole", of("apps/v1", "Deployment"), { spec: { selector: { matchLabels: { a: "1" } } } }, [".spec.selector"]],
    ["a selector of a Service as a whole", of("v1", "Service"), { spec: { selector: { a: "1" } } }, [".spec.selector"]],
    [
      "ports of a Service by port and protocol",
      of("v1", "Service"),
      { spec: { ports: [{ port: 80 }] } },
      ['.spec.ports[port=80,protocol="TCP"]', '.spec.ports[port=80,protocol="TCP"].port'],
    ],
    ["tolerations as a whole", of("v1", "Pod"), { spec: { tolerations: [{ key: "a" }] } }, [".spec.tolerations"]],
    [
      "secrets for images by a name that has a default",
      of("v1", "Pod"),
      { spec: { imagePullSecrets: [{}] } },
      ['.spec.imagePullSecrets[name=""]'],
    ],
    [
      "a claim's reference in parts, although the type is atomic",
      of("v1", "PersistentVolume"),
      { spec: { claimRef: { name: "c" } } },
      [".spec.claimRef.name"],
    ],
    [
      "a quantity as a scalar",
      of("v1", "Pod"),
      { spec: { containers: [{ name: "c", resources: { limits: { cpu: 1 } } }] } },
      ['.spec.containers[name="c"]', '.spec.containers[name="c"].name', '.spec.containers[name="c"].resources.limits.cpu'],
    ],
    [
      "conditions of a Deployment by type",
      of("apps/v1", "Deployment"),
      { status: { conditions: [{ type: "Available" }] } },
      ['.status.conditions[type="Available"]', '.status.conditions[type="Available"].type'],
    ],
    ["rules of a Role as a whole", of("rbac.authorization.k8s.io/v1", "Role"), { rules: [{ verbs: ["get"] }] }, [".rules"]],
    [
      "secrets of a ServiceAccount by name, as strategic merge patches have them",
      of("v1", "ServiceAccount"),
      { secrets: [{ name: "s" }] },
      ['.secrets[name="s"]'],
    ],
    ["an opaque extension as a whole", of("apps/v1", "ControllerRevision"), { data: { a: { b: 1 } } }, [".data"]],
  ]
  test.each(rows)("%s", (_title, schema, value, paths) => {
    expect(typedErrors(value, schema, { allowDuplicates: false })).toEqual([])
    expect(pathTexts(toFieldSet(value, schema))).toEqual(paths)
  })

  test("a type that holds itself is no trouble", () => {
    const definition = schemaOfType("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps")!
    const value = { properties: { a: { properties: { b: { type: "string", default: { x: 1 } } } } } }
    expect(typedErrors(value, definition, { allowDuplicates: false })).toEqual([])
    expect(pathTexts(toFieldSet(value, definition)).at(-1)).toBe(".properties.a.properties.b.default.x")
  })

  test("a list of no list type is keyed, a set or atomic by the field's patch strategy", () => {
    const items = { type: "list", items: object({ name: text }) } as const
    const texts = { type: "list", items: text } as const
    const schema: Schema = {
      type: "object",
      fields: {
        keyed: { schema: items, patchStrategy: ["merge"], patchMergeKey: "name" },
        retained: { schema: items, patchStrategy: ["merge", "retainKeys"], patchMergeKey: "name" },
        set: { schema: texts, patchStrategy: ["merge"] },
        whole: { schema: items, patchStrategy: ["replace"] },
        plain: { schema: texts },
      },
    }
    const value = { keyed: [{ name: "a" }], retained: [{ name: "a" }], set: ["a"], whole: [{ name: "a" }], plain: ["a"] }
    expect(pathTexts(toFieldSet(value, schema))).toEqual([
      ".plain",
      ".whole",
      '.keyed[name="a"]',
      '.keyed[name="a"].name',
      '.retained[name="a"]',
      '.retained[name="a"].name',
      '.set[="a"]',
    ])
  })
})
