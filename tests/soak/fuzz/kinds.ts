import { apiVersionOf, type Descriptor, type Schema } from "@pilothouse/api"
import { allDescriptors } from "@pilothouse/api/descriptors"
import { schemaOf } from "@pilothouse/api/schemas"
import type { Random } from "@pilothouse/seams"

/** A kind of the server, and where it lives. */
export interface FuzzedKind {
  readonly apiVersion: string
  readonly kind: string
  /** "/apis/apps/v1" */
  readonly base: string
  readonly plural: string
  readonly namespaced: boolean
  readonly subresources: readonly string[]
  readonly schema: Schema
}

const unserved: readonly string[] = ["certificates.k8s.io/v1beta1", "metrics.k8s.io/v1beta1", "storagemigration.k8s.io/v1beta1"]

/** Every kind that is served. */
export const fuzzedKinds: readonly FuzzedKind[] = allDescriptors.flatMap((descriptor) => {
  const schema = schemaOf(descriptor)
  return schema === undefined || unserved.includes(apiVersionOf(descriptor)) ? [] : [fuzzed(descriptor, schema)]
})

function fuzzed(descriptor: Descriptor, schema: Schema): FuzzedKind {
  const { kind, plural, namespaced, group, version, subresources } = descriptor
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`
  return {
    apiVersion: apiVersionOf(descriptor),
    kind,
    base,
    plural,
    namespaced,
    schema,
    subresources: subresources.map(({ name }) => name),
  }
}

/** The collection of a kind. */
export function collectionOf({ base, plural, namespaced }: FuzzedKind): string {
  return namespaced ? `${base}/namespaces/default/${plural}` : `${base}/${plural}`
}

/** A value that its schema allows, as far as types go: every field of every kind is met sooner or later. */
export function valueOf(random: Random, schema: Schema, depth = 0): unknown {
  switch (schema.type) {
    case "object":
      return objectOf(random, schema, depth)
    case "map":
      return depth > 8 ? {} : Object.fromEntries(times(random, 2, () => [word(random), valueOf(random, schema.items ?? any, depth + 1)]))
    case "list":
      return depth > 8 ? [] : times(random, 3, () => valueOf(random, schema.items ?? any, depth + 1))
    case "string":
      return stringOf(random, schema)
    case "integer":
      return pick(random, [0, 1, 2, -1, 80, 443, 65_536, 2 ** 31 - 1])
    case "number":
      return pick(random, [0, 0.5, -1, 1e9])
    case "boolean":
      return random.int(2) === 0
    case "any":
      return pick(random, [null, {}, [], "text", 7, { a: [1, { b: null }] }])
  }
}

const any: Schema = { type: "any" }

function objectOf(random: Random, schema: Schema, depth: number): Record<string, unknown> {
  const entries = Object.entries(schema.fields ?? {}).filter(([name, field]) => {
    if (name === "apiVersion" || name === "kind") return depth > 0 && random.int(4) === 0
    return field.required === true ? random.int(8) > 0 : random.int(2 + depth * 2) === 0
  })
  return Object.fromEntries(depth > 12 ? [] : entries.map(([name, field]) => [name, valueOf(random, field.schema, depth + 1)]))
}

const texts: Readonly<Record<string, readonly unknown[]>> = {
  quantity: ["1", "100m", "1Gi", "-1", "0.0000001", "1e18", "9".repeat(30), "NaN", "", 3, -2.5],
  "date-time": ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00+14:00", "0000-01-01T00:00:00Z", "", "soon"],
  "micro-time": ["2020-01-01T00:00:00.000001Z", "9999-12-31T23:59:59.999999Z", ""],
  byte: ["", "eA==", "eA", "not base64"],
  "int-or-string": [0, 1, -1, "25%", "200%", "http", "", 2 ** 31],
  duration: ["1s", "0s", "-1h", "x"],
}

function stringOf(random: Random, schema: Schema): unknown {
  if (schema.enum !== undefined && random.int(6) > 0) return pick(random, schema.enum)
  return pick(random, texts[schema.format ?? ""] ?? words)
}

const words = ["", "a", "b", "default", "A_b", "x.y/z", "10.0.0.1", "fd00::1", "10.0.0.0/24", "*", "a".repeat(300), "ü💥", "\ud800"]

function word(random: Random): string {
  return pick(random, [...words, "__proto__", "constructor", "cpu", "storage", "matchLabels"])
}

function pick<T>(random: Random, list: readonly T[]): T {
  return list[random.int(list.length)]!
}

function times<T>(random: Random, max: number, make: () => T): T[] {
  return Array.from({ length: random.int(max + 1) }, make)
}
