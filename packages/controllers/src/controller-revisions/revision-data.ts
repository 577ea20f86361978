import { compareText, deepEqual, goJson } from "@pilothouse/api"
import type { PodTemplateSpec } from "@pilothouse/api/core/v1"
import { safeLetters } from "../shared/template-hash.ts"

const maxPrefixLength = 223

/** The same as upstream's for the same data (32-bit FNV-1), so that both find the revision that the other has made. */
export function revisionHash(data: unknown, collisionCount: number): string {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(`${goJson(data)}${collisionCount}`)) value = Math.imul(value, 0x01000193) ^ byte
  return safeLetters(String(value >>> 0))
}

/** At most 253 characters, whatever the owner is called. */
export function revisionName(owner: string, hash: string): string {
  return `${owner.slice(0, maxPrefixLength)}-${hash}`
}

/** What a revision keeps: a strategic patch that brings the template back, as `kubectl rollout undo` applies it. */
export interface RevisionData {
  readonly spec: { readonly template: PodTemplateSpec & { readonly $patch: "replace" } }
}

/** Keys in order, as Go writes them: upstream compares the text of two revisions. */
export function revisionData(template: PodTemplateSpec): RevisionData {
  return inOrder({ spec: { template: { ...template, $patch: "replace" } } }) as RevisionData
}

/** The template that a revision brings back; undefined where it is none that we can read. */
export function templateIn(data: unknown): PodTemplateSpec | undefined {
  const template = (data as Partial<RevisionData> | undefined)?.spec?.template
  if (typeof template !== "object" || template === null) return undefined
  const { $patch: _directive, ...rest } = template
  return rest
}

/** Compares revisions by meaning, not by text: older servers wrote `creationTimestamp: null`, and others another order. */
export function sameData(one: unknown, other: unknown): boolean {
  return deepEqual(withoutNulls(one), withoutNulls(other))
}

function inOrder(value: unknown): unknown {
  return mapObjects(value, (entries) => entries.sort(([a], [b]) => compareText(a, b)))
}

function withoutNulls(value: unknown): unknown {
  return mapObjects(value, (entries) => entries.filter(([, part]) => part !== null && part !== undefined))
}

type Entries = [string, unknown][]

function mapObjects(value: unknown, change: (entries: Entries) => Entries): unknown {
  if (Array.isArray(value)) return value.map((part) => mapObjects(part, change))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(change(Object.entries(value)).map(([name, part]) => [name, mapObjects(part, change)]))
}
