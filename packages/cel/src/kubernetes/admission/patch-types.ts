import type { FieldDeclaration, ObjectDeclaration } from "../../environment/environment.ts"
import { typeNameOf } from "../../evaluate/constructors.ts"
import { dynType, objectType, stringType } from "../../types/types.ts"
import { jsonOf as asJson, maxJsonParts } from "../../values/json.ts"
import { kindOf } from "../../values/kinds.ts"
import { type AnyMap, mapGet, mapKeys } from "../../values/maps.ts"
import { fail, type Value } from "../../values/value.ts"

const anyField: FieldDeclaration = { type: dynType }

/** Has every field: nothing is known of the schema when a policy is compiled. */
class EveryField extends Map<string, FieldDeclaration> {
  override get(): FieldDeclaration {
    return anyField
  }

  override has(): boolean {
    return true
  }
}

/** Has every field too: those that are not declared are of a type without a name, to which only dynamic values can be assigned. */
class PatchFields extends Map<string, FieldDeclaration> {
  override get(name: string): FieldDeclaration {
    return super.get(name) ?? namelessField
  }
}

const namelessField: FieldDeclaration = { type: objectType("") }

const jsonPatchType: ObjectDeclaration = {
  name: "JSONPatch",
  fields: new PatchFields([
    ["op", { type: stringType }],
    ["path", { type: stringType }],
    ["from", { type: stringType }],
    ["value", { type: dynType }],
  ]),
}

/** Returns the types of mutations: `JSONPatch`, `Object`, `Object.spec`, `Object.spec.template` and so on. */
export function resolvePatchType(name: string): ObjectDeclaration | undefined {
  if (name === jsonPatchType.name) return jsonPatchType
  return name === "Object" || name.startsWith("Object.") ? { name, fields: new EveryField(), namesType: true } : undefined
}

/** Returns where the types of object literals do not fit the fields that hold them, in upstream's words. */
export function typeNameFaults(value: Value): readonly string[] {
  const root = typeof value === "object" && value !== null ? typeNameOf(value) : undefined
  return root === undefined ? [] : faultsAt(value, root, { parts: 0 })
}

function faultsAt(value: Value, expected: string, seen: { parts: number }): readonly string[] {
  if (++seen.parts > maxJsonParts) fail(`expected an object of at most ${maxJsonParts} parts, found more`)
  if (typeof value !== "object" || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => faultsAt(item as Value, expected, seen))
  if (kindOf(value) !== "map") return []
  const name = typeNameOf(value)
  const own =
    name === undefined || name === expected
      ? []
      : [`unexpected type name "${name}", expected "${expected}", which matches field name path from root Object type`]
  const map = value as AnyMap
  const below = (key: Value): string => (name === undefined ? expected : `${expected}.${String(key)}`)
  return [...own, ...mapKeys(map).flatMap((key) => faultsAt(mapGet(map, key) as Value, below(key), seen))]
}

const keep = (value: bigint | number) => value

/** Returns a value as a part of an object; fails for what JSON cannot hold. Integers beyond 2^53 stay what they are. */
export function jsonOf(value: Value): unknown {
  return asJson(value, { integer: keep, notFinite: keep, refuse: fail })
}
