import { goJson, type KubeObject, type Schema } from "@pilothouse/api"
import { parseJson } from "@pilothouse/seams"
import { difference, type FieldSet, hasPath } from "./fieldpath/index.ts"
import type { Conflict } from "./merge/index.ts"
import { compare, toFieldSet, typedErrors } from "./typed/index.ts"

const annotation = "kubectl.kubernetes.io/last-applied-configuration"
/** Bytes of all annotations of an object. */
const maxAnnotations = 256 * 1024

/** Returns what client-side apply has written and is still so; undefined when the annotation does not say. */
export function allowedByLastApplied(live: KubeObject, schema: Schema, apiVersion: string): FieldSet | undefined {
  const text = live.metadata.annotations?.[annotation] ?? ""
  const config = text === "" ? undefined : objectIn(text)
  if (config === undefined || config.apiVersion !== apiVersion) return undefined
  if ([config, live].some((value) => typedErrors(value, schema, { allowDuplicates: false }).length > 0)) return undefined
  const { modified, added, removed } = compare(config, live, schema)
  return [modified, added, removed].reduce(difference, toFieldSet(config, schema))
}

export function conflictsOutside(conflicts: readonly Conflict[], allowed: FieldSet): readonly Conflict[] {
  return conflicts.filter(({ path }) => !hasPath(allowed, path))
}

type Applied = Readonly<Record<string, unknown>>

/** Returns the object with its annotation brought up to what was applied; undefined when it has none. */
export function rewriteLastApplied(object: object | undefined, config: Applied): Applied | undefined {
  const applied = object as (Applied & KubeObject) | undefined
  const annotations = applied?.metadata?.annotations
  if (applied === undefined || (annotations?.[annotation] ?? "") === "") return undefined
  const rewritten = { ...annotations, [annotation]: lastAppliedText(config) }
  if (annotationBytes(rewritten) <= maxAnnotations) return { ...applied, metadata: { ...applied.metadata, annotations: rewritten } }
  const { [annotation]: _tooLong, ...others } = rewritten
  return { ...applied, metadata: { ...applied.metadata, annotations: others } }
}

function annotationBytes(annotations: Readonly<Record<string, string>>): number {
  let bytes = 0
  for (const [key, value] of Object.entries(annotations)) bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  return bytes
}

/** The JSON that Go writes, and a line end. */
function lastAppliedText(config: Applied): string {
  const { metadata, ...others } = config as Applied & KubeObject
  if (metadata === undefined) return `${goJson(config)}\n`
  const { annotations, ...rest } = metadata
  const { [annotation]: _previous, ...kept } = annotations ?? {}
  // An empty map stays, null goes.
  const given = annotations === undefined || annotations === null ? rest : { ...rest, annotations: kept }
  return `${goJson({ ...others, metadata: given })}\n`
}

function objectIn(text: string): Applied | undefined {
  try {
    const value: unknown = parseJson(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Applied) : undefined
  } catch {
    // An annotation that is no JSON allows nothing.
    return undefined
  }
}
