import type { Schema } from "@pilothouse/api"
import { schemaOf } from "@pilothouse/api/schemas"
import type { Draw } from "../../api/draw.ts"
import { describe } from "../../api/live-objects.ts"
import { isRecord, type JsonObject, type SampleObject } from "../../api/objects/object.ts"
import { changesOf, metadataChange, statusesOf } from "./changes.ts"
import type { History } from "./history.ts"
import type { Endpoint, Operation } from "./operation.ts"

const managers = ["m1", "m2", "m3", "m4", "kubectl"]
/** Kinds that are kept in one place and served in two versions. */
const otherVersions: Readonly<Record<string, string>> = {
  "autoscaling/v1 HorizontalPodAutoscaler": "autoscaling/v2",
  "autoscaling/v2 HorizontalPodAutoscaler": "autoscaling/v1",
  "v1 Event": "events.k8s.io/v1",
  "events.k8s.io/v1 Event": "v1",
}

/** Eight to fourteen writes of one object by at least three managers. */
export function drawHistory(draw: Draw, sample: SampleObject): History {
  const { apiVersion, kind, metadata } = sample
  const otherVersion = otherVersions[`${apiVersion} ${kind}`]
  const other = otherVersion === undefined ? undefined : { apiVersion: otherVersion, kind }
  const writers = draw.shuffled(managers).slice(0, draw.int(3, managers.length))
  const drawing = new Drawing(draw, sample, writers, other?.apiVersion)
  const operations = [drawing.first(), ...Array.from({ length: draw.int(8, 13) }, () => drawing.next()).flat()]
  const main = endpointOf(sample)
  return {
    title: `${kind} ${metadata.name}`,
    kind,
    target: (name) => ({
      name: kind === "IPAddress" ? addressOf(name) : name,
      main,
      ...(other && { other: endpointOf({ ...sample, ...other }) }),
    }),
    operations,
  }
}

/** "h12-3" as 10.200.12.3: such an object is named by what it is. */
function addressOf(name: string): string {
  const [index = 0, shorter = 0] = name.match(/\d+/g)?.map(Number) ?? []
  return `10.${200 + (index >> 8)}.${index & 255}.${shorter}`
}

function endpointOf(sample: SampleObject): Endpoint {
  const descriptor = describe(sample)
  const base = descriptor.group === "" ? "/api/v1" : `/apis/${descriptor.group}/${descriptor.version}`
  const within = descriptor.namespaced ? `/namespaces/${namespaceOf(sample)}` : ""
  return { collection: `${base}${within}/${descriptor.plural}`, schema: schemaOf(descriptor) ?? { type: "any" } }
}

/** One for each kind: a quota or a limit of one is no matter of the others. */
export function namespaceOf({ kind }: JsonObject): string {
  return `kind-${String(kind).toLowerCase()}`
}

class Drawing {
  readonly #draw: Draw
  readonly #sample: SampleObject
  readonly #managers: readonly string[]
  readonly #other: string | undefined
  readonly #schema: Schema
  readonly #statuses: readonly JsonObject[]
  readonly #replaces: readonly "replace"[]

  constructor(draw: Draw, sample: SampleObject, writers: readonly string[], other: string | undefined) {
    this.#draw = draw
    this.#sample = sample
    this.#managers = writers
    this.#other = other
    this.#schema = schemaOf(describe(sample)) ?? { type: "any" }
    const hasStatus = describe(sample).subresources.some(({ name }) => name === "status")
    // The selector of a Job is generated, and then must be said.
    this.#replaces = sample.kind === "Job" ? [] : ["replace"]
    this.#statuses = hasStatus ? statusesOf(sample.kind) : []
  }

  first(): Operation {
    const draw = this.#draw
    const body = draw.chance(0.5) ? this.#sample : merged(this.#sample, this.#change())
    return { verb: draw.pick(["create", "create", "apply"]), manager: draw.pick(this.#managers), body }
  }

  next(): Operation | readonly Operation[] {
    const draw = this.#draw
    const manager = draw.pick(this.#managers)
    // Without a controller a namespace never goes.
    if (draw.chance(0.05) && this.#sample.kind !== "Namespace") return [{ verb: "delete", manager, body: {} }, this.first()]
    if (draw.chance(0.02)) return this.first()
    if (this.#other !== undefined && draw.chance(0.3)) return this.#inOtherVersion(manager, this.#other)
    if (this.#statuses.length > 0 && draw.chance(0.3)) return this.#ofStatus(manager)
    const verb = draw.pick(["update", "merge", "strategic", "json", "apply", "apply", "apply", "force", ...this.#replaces] as const)
    if (verb === "apply" || verb === "force") return { verb, manager, body: this.#configuration() }
    if (verb === "replace") return { verb, manager, body: merged(this.#sample, this.#change()) }
    const entries = verb === "update" && draw.chance(0.15) ? draw.pick(["none", "none", "cleared"] as const) : undefined
    return { verb, manager, body: this.#withNulls(this.#change()), ...(entries && { entries }) }
  }

  #inOtherVersion(manager: string, apiVersion: string): Operation {
    const verb = this.#draw.pick(["update", "merge", "strategic", "json", "apply", "force"] as const)
    const change = { metadata: metadataChange(this.#draw) }
    const body = verb === "apply" || verb === "force" ? { apiVersion, kind: this.#sample.kind, ...change } : change
    return { verb, manager, otherVersion: true, body }
  }

  #ofStatus(manager: string): Operation {
    const draw = this.#draw
    const verb = draw.pick(["update", "merge", "strategic", "json", "apply", "force"] as const)
    const status = draw.some(this.#statuses, 2).reduce(merged, {})
    const more = draw.chance(0.2) ? this.#change() : {}
    const { apiVersion, kind } = this.#sample
    const body = merged(more, { status })
    return { verb, manager, subresource: "status", body: verb === "apply" || verb === "force" ? { apiVersion, kind, ...body } : body }
  }

  /** What an applier says: parts of the sample and changes, seldom all. */
  #configuration(): JsonObject {
    const draw = this.#draw
    const { apiVersion, kind } = this.#sample
    const part = draw.chance(0.6) ? subtree(draw, this.#schema, this.#content()) : draw.chance(0.3) ? this.#content() : {}
    const changes = draw.times(0, 2, () => this.#change())
    return { apiVersion, kind, ...changes.reduce(merged, part as JsonObject) }
  }

  #content(): JsonObject {
    const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, status: _status, ...content } = this.#sample
    return content
  }

  #change(): JsonObject {
    const draw = this.#draw
    const changes = changesOf(this.#sample)
    return changes.length === 0 || draw.chance(0.35) ? { metadata: metadataChange(draw) } : draw.pick(changes)(draw)
  }

  /** A value of null removes: sometimes one of the leaves. */
  #withNulls(change: JsonObject): JsonObject {
    if (!this.#draw.chance(0.25)) return change
    const leaves = leavesOf(change)
    return leaves.length === 0 ? change : withNull(change, this.#draw.pick(leaves))
  }
}

/** Part of a value; what identifies an item of a list stays in it. */
function subtree(draw: Draw, schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    if (schema.listType === "set") return value.filter(() => draw.chance(0.6))
    if (schema.listType !== "map") return value
    const keys = schema.listMapKeys ?? []
    return value
      .filter(() => draw.chance(0.7))
      .map((item) => ({ ...(subtree(draw, schema.items ?? any, item) as object), ...pick(item as JsonObject, keys) }))
  }
  if (!isRecord(value) || schema.mapType === "atomic" || schema.type === "any") return value
  const kept = Object.entries(value).filter(() => draw.chance(0.65))
  return Object.fromEntries(kept.map(([name, inner]) => [name, subtree(draw, schema.fields?.[name]?.schema ?? schema.items ?? any, inner)]))
}

const any: Schema = { type: "any" }

function pick(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => object[key] !== undefined).map((key) => [key, object[key]]))
}

/** Objects are put together, lists of named items by their names. */
export function merged(value: JsonObject, change: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...value }
  for (const [name, inner] of Object.entries(change)) {
    const before = result[name]
    if (isRecord(before) && isRecord(inner)) result[name] = merged(before, inner)
    else if (Array.isArray(before) && Array.isArray(inner) && inner.every((item) => isRecord(item) && item.name !== undefined))
      result[name] = mergedItems(before, inner)
    else result[name] = inner
  }
  return result
}

function mergedItems(before: readonly JsonObject[], items: readonly JsonObject[]): readonly JsonObject[] {
  const rest = items.filter(({ name }) => !before.some((item) => item.name === name))
  return [...before.map((item) => merged(item, items.find(({ name }) => name === item.name) ?? {})), ...rest]
}

type Path = readonly string[]

function leavesOf(value: JsonObject, path: Path = []): readonly Path[] {
  return Object.entries(value).flatMap(([name, inner]) => (isRecord(inner) ? leavesOf(inner, [...path, name]) : [[...path, name]]))
}

function withNull(value: JsonObject, [name = "", ...rest]: Path): JsonObject {
  return { ...value, [name]: rest.length === 0 ? null : withNull(value[name] as JsonObject, rest) }
}
