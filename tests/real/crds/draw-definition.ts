import { Draw } from "../api/draw.ts"
import type { JsonObject } from "../api/objects/object.ts"
import { breakSchema } from "./break-schema.ts"
import { drawSchema, type SchemaDraft } from "./draw-schema.ts"

/** Draws a definition. Two of three are broken somewhere. */
export function drawDefinition(draw: Draw, index: number): JsonObject {
  const definition: SchemaDraft = drawValidDefinition(draw, index)
  const spec = definition.spec as SpecDraft
  if (draw.chance(0.45)) breakSchema(draw, schemaOf(draw.pick(spec.versions)))
  if (draw.chance(0.4)) for (const change of draw.some(changes, 2)) change(draw, spec, definition)
  if (draw.chance(0.01)) delete (definition.spec as Record<string, unknown>).versions
  return definition
}

/** What an update sends of a definition that was read, and where. */
export interface DefinitionChange {
  /** "" or "/status". */
  readonly endpoint: string
  readonly change: (object: JsonObject) => JsonObject
}

/** Draws an update. The same is done to what each server holds. */
export function changeDefinition(draw: Draw): DefinitionChange {
  const { random } = draw
  const name = `change ${random.int(2 ** 31)}`
  if (draw.chance(0.2))
    return { endpoint: "/status", change: (object) => changedStatus(new Draw(random.fork(name)), structuredClone(object)) }
  const isSchema = draw.chance(0.4)
  return {
    endpoint: "",
    change(object) {
      const own = new Draw(random.fork(name))
      const draft = structuredClone(object) as SchemaDraft
      const spec = draft.spec as SpecDraft
      if (isSchema) breakSchema(own, spec.versions[0]?.schema?.openAPIV3Schema ?? {})
      else own.pick(changes)(own, spec, draft)
      return draft
    },
  }
}

function changedStatus(draw: Draw, object: SchemaDraft): JsonObject {
  const status = object.status as Record<string, unknown>
  const metadata = object.metadata as Record<string, unknown>
  const statusChanges = [
    () => void (status.storedVersions = draw.pick([["v9"], ["v1", "v9"], status.storedVersions])),
    () => void (status.acceptedNames = { ...(status.acceptedNames as object), kind: draw.pick(["A b", "Other", ""]) }),
    () => void (metadata.labels = { changed: "by-status" }),
  ]
  draw.pick(statusChanges)()
  return object
}

/** Draws a definition that most likely is valid. */
export function drawValidDefinition(draw: Draw, index: number): JsonObject {
  const plural = `things${index}`
  const group = draw.pick(["example.com", "acme.test"])
  const versions = drawVersions(draw)
  const definition: SchemaDraft = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: draw.pick(["Namespaced", "Cluster"]),
      names: {
        plural,
        kind: `Thing${index}`,
        ...(draw.chance(0.3) ? { shortNames: [`t${index}`] } : {}),
        ...(draw.chance(0.2) ? { singular: `thing${index}`, categories: ["all"] } : {}),
      },
      versions,
    },
  }
  return definition
}

type VersionDraft = Record<string, unknown> & { schema: { openAPIV3Schema: SchemaDraft } }
type SpecDraft = Record<string, unknown> & { names: Record<string, unknown>; versions: VersionDraft[] }
type Change = (draw: Draw, spec: SpecDraft, definition: SchemaDraft) => void

function schemaOf(version: VersionDraft): SchemaDraft {
  return version.schema.openAPIV3Schema
}

function drawVersions(draw: Draw): VersionDraft[] {
  const count = draw.pick([1, 1, 2, 3])
  const same = draw.chance(0.3) ? drawSchema(draw) : undefined
  const subresources = draw.pick([
    undefined,
    { status: {} },
    { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
  ])
  return draw
    .shuffled(["v1", "v2beta1", "v1alpha3", "other"])
    .slice(0, count)
    .map((name, at) => ({
      name,
      served: draw.chance(0.9),
      storage: at === 0,
      schema: { openAPIV3Schema: structuredClone(same ?? drawSchema(draw)) },
      ...(subresources !== undefined && draw.chance(0.8) ? { subresources } : {}),
      ...(draw.chance(0.3)
        ? { additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size", priority: draw.int(0, 1) }] }
        : {}),
      ...(draw.chance(0.15) ? { deprecated: true, ...(draw.chance(0.5) ? { deprecationWarning: "use v2" } : {}) } : {}),
    }))
}

const texts = ["", "A", "a.b", "-a", "ünï", "a b", "x".repeat(64), "v1", "aB-c"]

/** Each may make a definition invalid, or change nothing. */
const changes: readonly Change[] = [
  (draw, spec) => void (spec.group = draw.pick(["", "nodots", "UPPER.example.com", "x.k8s.io", "kubernetes.io", "a..b"])),
  (draw, _, definition) => {
    const value = draw.pick([
      "",
      "unapproved, for a test",
      "https://github.com/kubernetes/kubernetes/pull/1",
      "nothing",
      "//host/path",
      "http:opaque",
    ])
    const metadata = definition.metadata as Record<string, unknown>
    const spec = definition.spec as SpecDraft
    spec.group = "test.k8s.io"
    definition.metadata = {
      ...metadata,
      name: `${String(spec.names.plural)}.test.k8s.io`,
      annotations: { "api-approved.kubernetes.io": value },
    }
  },
  (draw, spec) => void (spec.scope = draw.pick(["", "Global", "cluster"])),
  (draw, spec) => void (spec.names[draw.pick(["plural", "singular", "kind", "listKind"])] = draw.pick(texts)),
  (draw, spec) => void (spec.names.listKind = draw.chance(0.5) ? spec.names.kind : "Things"),
  (draw, spec) => void (spec.names.shortNames = draw.times(0, 3, () => draw.pick(texts))),
  (draw, spec) => void (spec.names.categories = draw.times(0, 3, () => draw.pick(texts))),
  (draw, _, definition) => void (definition.metadata = draw.pick([{ name: "other.example.com" }, { name: "A b" }, {}])),
  (draw, spec) => void (draw.pick(spec.versions).name = draw.pick([...texts, "v1"])),
  (draw, spec) => void (draw.pick(spec.versions).storage = draw.chance(0.5)),
  (draw, spec) => void delete (draw.pick(spec.versions) as Record<string, unknown>).schema,
  (draw, spec) => void Object.assign(draw.pick(spec.versions).schema ?? {}, { openAPIV3Schema: undefined }),
  (_, spec) => void (spec.preserveUnknownFields = true),
  (draw, spec) =>
    void Object.assign(draw.pick(spec.versions), {
      deprecated: draw.chance(0.7),
      deprecationWarning: draw.pick(["", "a\tb", "x".repeat(257), "fine", "<é>"]),
    }),
  (draw, spec) => {
    const paths = ["", "spec.x", ".spec", ".spec.size", ".status.size", ".", ".spec.a[0]", ".status.sel<"]
    const scale = { specReplicasPath: draw.pick(paths), statusReplicasPath: draw.pick(paths), labelSelectorPath: draw.pick(paths) }
    for (const version of draw.chance(0.5) ? spec.versions : [draw.pick(spec.versions)]) version.subresources = { scale, status: {} }
  },
  (draw, spec) => {
    const column = {
      name: draw.pick(["", "N"]),
      type: draw.pick(["", "string", "int", "date"]),
      format: draw.pick(["", "int32", "odd"]),
      jsonPath: draw.pick(["", ".", "x", ".spec.a"]),
    }
    for (const version of draw.chance(0.5) ? spec.versions : [draw.pick(spec.versions)]) version.additionalPrinterColumns = [column]
  },
  (draw, spec) => {
    const paths = [
      "",
      ".spec",
      ".spec.a",
      ".spec.name",
      ".spec.size",
      ".spec.x",
      "spec",
      ".spec['a']",
      ".metadata.name",
      ".spec.",
      "..",
      ".spec.b.c",
    ]
    const selectableFields = draw.times(1, 10, () => ({ jsonPath: draw.pick(paths) }))
    for (const version of draw.chance(0.5) ? spec.versions : [draw.pick(spec.versions)]) version.selectableFields = selectableFields
  },
  (draw, spec) => {
    spec.conversion = {
      strategy: draw.pick(["", "None", "Webhook", "Webhook", "Webhook", "Other"]),
      ...(draw.chance(0.8)
        ? {
            webhook: {
              ...(draw.chance(0.8) ? { clientConfig: drawClientConfig(draw) } : {}),
              conversionReviewVersions: draw.pick([[], ["v1"], ["v1beta1", "v1"], ["v7"], ["v1", "v1"], ["", "A"]]),
            },
          }
        : {}),
    }
  },
]

function drawClientConfig(draw: Draw): SchemaDraft {
  const urls = [
    "https://host/path",
    "http://host",
    "https://",
    "https://u:p@host",
    "https://host#f",
    "https://host?q=1",
    ":x",
    "host:80",
    "%zz",
    "https://h ost",
    "https://host:port",
  ]
  const service = {
    name: draw.pick(["", "svc"]),
    namespace: draw.pick(["", "ns"]),
    path: draw.pick(["", "/", "//", "/a//b", "a", "/A/b/"]),
    port: draw.pick([undefined, 0, 443, 70_000]),
  }
  return {
    ...(draw.chance(0.5) ? { url: draw.pick(urls) } : {}),
    ...(draw.chance(0.5) ? { service } : {}),
    ...(draw.chance(0.2) ? { caBundle: Buffer.from("no PEM").toString("base64") } : {}),
  }
}
