import { apiVersionOf } from "@pilothouse/api"
import { allDescriptors } from "@pilothouse/api/descriptors"

/** A list of objects of one kind, which its own kind names. */
export interface TypedList {
  readonly kind: string
  readonly apiVersion: string
  readonly items: readonly unknown[]
}

const builtInVersions: ReadonlySet<string> = new Set(allDescriptors.map(apiVersionOf))

/** On the wire the items of a list of built-in kinds say nothing of their kind: the list does. Lists of metadata and of custom resources are of another making. */
export function isTypedList(value: object): value is TypedList {
  const { kind, apiVersion, items } = value as Partial<TypedList>
  return (
    Array.isArray(items) &&
    typeof kind === "string" &&
    kind.endsWith("List") &&
    typeof apiVersion === "string" &&
    builtInVersions.has(apiVersion)
  )
}

/** An item without what the list says already; anything else as it is. */
export function withoutKind(item: unknown, list: TypedList): unknown {
  if (!isOf(item, list)) return item
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = item
  return rest
}

export function isOf(item: unknown, list: TypedList): item is { readonly kind: string; readonly apiVersion: string } {
  const { kind, apiVersion } = (item ?? {}) as { kind?: unknown; apiVersion?: unknown }
  return apiVersion === list.apiVersion && `${String(kind)}List` === list.kind
}
