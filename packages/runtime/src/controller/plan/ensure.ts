import { canonicalQuantity, type Descriptor, deepEqual, type KubeObject, keyOf, type Schema, toBase64 } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import type { ResolveKind } from "./execute.ts"
import type { KubeOperation, Operation, Plan, Step } from "./plan.ts"

type EnsureOperation = Extract<KubeOperation, { readonly do: "ensure" }>

/** What the operations of ensure() are compared with. */
export interface EnsureContext {
  readonly reader: { get(of: Descriptor, key: string): KubeObject | undefined }
  readonly resolve: ResolveKind
}

/** Reports whether a plan has operations that depend on the cache. */
export function hasEnsure({ steps }: Plan): boolean {
  return steps.some(({ operations }) => operations.some(isEnsure))
}

/**
 * Returns the plan with a create, a patch or nothing in the place of each ensure. Where nothing is left of a plan that only ensures, its events are not
 * recorded either: they report a change.
 */
export async function resolveEnsures(plan: Plan, context: EnsureContext): Promise<Plan> {
  const { schemaOf } = await import("@pilothouse/api/schemas")
  const resolved = (operation: EnsureOperation) => resolveEnsure(operation, context, schemaOf(gvkOf(operation.object)))
  const steps = plan.steps.map(
    (step): Step => ({
      ...step,
      operations: step.operations.flatMap((operation) => (isEnsure(operation) ? resolved(operation) : operation)),
    }),
  )
  // Field by field: a PlanBuilder has getters.
  const { events, requeue, waitingFor, summary, stuck } = plan
  if (steps.some(({ operations }) => operations.length > 0)) return { steps, events, requeue, waitingFor, summary, stuck }
  return { steps, events: [], requeue, waitingFor, summary: summary ?? "nothing differs", stuck }
}

function isEnsure(operation: Operation): operation is EnsureOperation {
  return operation.do === "ensure"
}

function resolveEnsure({ object, reason, of: given }: EnsureOperation, { reader, resolve }: EnsureContext, schema?: Schema): Operation[] {
  const of = given ?? resolve(object)
  if (object.metadata.name === undefined)
    throw new PilothouseError(
      "INVALID",
      `expected the name of the ${object.kind} to ensure, found none; create it where the server names it`,
    )
  const found = reader.get(of, keyOf(object))
  if (found === undefined) return [{ do: "create", object, reason, of: given }]
  const paths: string[] = []
  const patch = differenceOf(writable(object), found as unknown as Fields, schema, paths)
  if (patch === undefined) return []
  return [{ do: "patch", object: found, patch, reason: `${reason} (${paths.join(", ")})`, of: given }]
}

function gvkOf({ apiVersion, kind }: KubeObject): { readonly group: string; readonly version: string; readonly kind: string } {
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  return { group, version, kind }
}

type Fields = Readonly<Record<string, unknown>>

/** The fields that a write can change. A status has a subresource, and a server keeps the stringData of a Secret as data. */
function writable(object: KubeObject): Fields {
  const {
    status: _,
    stringData,
    ...rest
  } = object as KubeObject & { readonly status?: unknown; readonly stringData?: Record<string, string> }
  const { resourceVersion: _v, uid: _u, generation: _g, creationTimestamp: _c, managedFields: _m, ...metadata } = object.metadata
  if (object.kind !== "Secret" || object.apiVersion !== "v1" || stringData === undefined)
    return { ...rest, ...(stringData && { stringData }), metadata }
  const encoded = Object.entries(stringData).map(([name, text]) => [name, toBase64(new TextEncoder().encode(text))])
  return { ...rest, metadata, data: { ...(rest as { readonly data?: Fields }).data, ...Object.fromEntries(encoded) } }
}

/** The merge patch that gives the found object the wanted fields; undefined where it has them. Adds the path of each field to `paths`. */
function differenceOf(wanted: Fields, found: Fields, schema: Schema | undefined, paths: string[], path = ""): Fields | undefined {
  const patch: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(wanted)) {
    const [now, of, at] = [found[name], schemaIn(schema, name), path === "" ? name : `${path}.${name}`]
    if (value === undefined || covers(now, value, of)) continue
    if (isFields(value) && isFields(now)) {
      patch[name] = differenceOf(value, now, of, paths, at)
      continue
    }
    patch[name] = isShared(at) ? union(now, value) : value
    paths.push(at)
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}

function schemaIn(schema: Schema | undefined, name: string): Schema | undefined {
  return schema?.fields?.[name]?.schema ?? (schema?.type === "map" ? schema.items : undefined)
}

/** Reports whether the found value has all that is wanted. Lists are compared whole, item by item: a server adds defaults to their items. */
function covers(found: unknown, wanted: unknown, schema: Schema | undefined): boolean {
  if (wanted === null || found === undefined) return found === undefined && (wanted === null || isLeftOut(wanted, schema))
  if (Array.isArray(wanted) && Array.isArray(found))
    return found.length === wanted.length && wanted.every((item, at) => covers(found[at], item, schema?.items))
  if (isFields(wanted) && isFields(found))
    return Object.entries(wanted).every(([name, value]) => value === undefined || covers(found[name], value, schemaIn(schema, name)))
  return deepEqual(found, wanted) || (schema?.format === "quantity" && isSameQuantity(found, wanted))
}

/** Servers leave empty lists and maps out. */
function isLeftOut(wanted: unknown, schema: Schema | undefined): boolean {
  return (schema?.type === "list" || schema?.type === "map") && Object.keys(wanted as object).length === 0
}

/** "1000m" is stored as "1". */
function isSameQuantity(one: unknown, other: unknown): boolean {
  return isQuantity(one) && isQuantity(other) && canonicalQuantity(one) === canonicalQuantity(other)
}

function isQuantity(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number"
}

/** Lists that several owners share. */
function isShared(path: string): boolean {
  return path === "metadata.finalizers" || path === "metadata.ownerReferences"
}

function union(found: unknown, wanted: unknown): unknown {
  if (!Array.isArray(found) || !Array.isArray(wanted)) return wanted
  return [...found.filter((item) => !wanted.some((one) => isSameItem(one, item))), ...wanted]
}

function isSameItem(one: unknown, other: unknown): boolean {
  return isFields(one) && isFields(other) ? one.uid === other.uid : one === other
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
