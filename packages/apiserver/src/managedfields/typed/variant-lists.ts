import type { Schema } from "@pilothouse/api"
import { type FieldPath, setOfPaths } from "../fieldpath/field-path.ts"
import { emptySet, type FieldSet } from "../fieldpath/field-set.ts"
import { fieldElement, type PathElement } from "../fieldpath/path-element.ts"
import { formOf } from "./json-value.ts"
import { itemElement } from "./list-items.ts"
import { ListType, MapType, type Type, typeOf } from "./type.ts"

/** The names of fields, keys and indexes that lead from an object to one of its values. */
export type ValuePath = readonly (string | number)[]

/**
 * The parts of an object that upstream finds modified although they read the same: it compares lists that are owned as a whole by the memory of Go's types,
 * where "1024Gi" is not "1Ti" and an empty list is not none. `paths` lead to such values. Lists of items with owners of their own are compared item by item.
 * A list that Go writes as null where there is none is another one when it is empty, wherever it stands.
 */
export function modifiedInMemory(object: unknown, schema: Schema, paths: readonly ValuePath[]): FieldSet {
  if (paths.length === 0) return emptySet
  const owned = paths.flatMap((path) => atomicPart(typeOf(schema), object, path))
  return owned.length === 0 ? emptySet : setOfPaths(owned)
}

/** The part with one owner that has the value in one of its lists. */
function atomicPart(root: Type, object: unknown, path: ValuePath): readonly FieldPath[] {
  const elements: PathElement[] = []
  let [type, value]: [Type | undefined, unknown] = [root, object]
  for (const [at, step] of path.entries()) {
    const form: ReturnType<typeof formOf> = type && formOf(type, value)
    if (!(form instanceof MapType || form instanceof ListType)) return []
    if (form.isAtomic) return path.slice(at).some((name) => typeof name === "number") ? [elements] : []
    if (at === path.length - 1 && form instanceof MapType && isListOrNull(form, String(step)))
      return [[...elements, fieldElement(String(step))]]
    const inner = (value as Readonly<Record<string | number, unknown>> | null)?.[step]
    if (inner === undefined || inner === null) return []
    elements.push(form instanceof ListType ? itemElement(form, inner) : fieldElement(String(step)))
    type = form instanceof ListType ? form.items : form.at(String(step))
    value = inner
  }
  return []
}

function isListOrNull(type: MapType, name: string): boolean {
  return type.nulls.includes(name) && type.at(name)?.list?.isAtomic === true
}
