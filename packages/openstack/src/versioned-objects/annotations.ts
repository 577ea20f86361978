import { PilothouseError } from "@pilothouse/seams"
import { decodeObject } from "./decode.ts"
import type { LBaaSServiceSpec, LBaaSState, Vif } from "./objects.ts"
import { pythonJson } from "./python-json.ts"
import { type Field, type FieldType, type ObjectName, objectSchema, type Schema } from "./schema.ts"

/** openstack.org/kuryr-lbaas-spec */
export function encodeServiceSpec(spec: LBaaSServiceSpec): string {
  return encodeObject("LBaaSServiceSpec", spec)
}

/** Reads what encodeServiceSpec or kuryr wrote; throws where it is another object or another major version. */
export function decodeServiceSpec(text: string): LBaaSServiceSpec {
  const { type, ...spec } = decodeObject(["LBaaSServiceSpec"], text) as unknown as LBaaSServiceSpec
  // Without a field of that name, `type` is only the name of the class.
  return type === undefined || type === "LBaaSServiceSpec" ? spec : { ...spec, type }
}

/** openstack.org/kuryr-lbaas-state */
export function encodeState(state: LBaaSState): string {
  return encodeObject("LBaaSState", state)
}

/** Reads what encodeState or kuryr wrote; throws where it is another object or another major version. */
export function decodeState(text: string): LBaaSState {
  const { type: _, ...state } = decodeObject(["LBaaSState"], text)
  return state as unknown as LBaaSState
}

const vifs = ["VIFOpenVSwitch", "VIFBridge", "VIFVlanNested", "VIFMacvlanNested"] as const

/** openstack.org/kuryr-vif */
export function encodeVif(vif: Vif): string {
  return encodeObject(vif.type, vif)
}

/** Later versions of kuryr put a PodState around it: then it is the default one. */
export function decodeVif(text: string): Vif {
  const read = decodeObject([...vifs, "PodState"], text)
  return (read.type === "PodState" ? (read as unknown as { default_vif: Vif }).default_vif : read) as Vif
}

type Values = Readonly<Record<string, unknown>>

/** The text of an annotation. */
function encodeObject(name: ObjectName, value: object): string {
  return pythonJson(toPrimitive(name, value as Values))
}

function toPrimitive(name: ObjectName, value: Values): unknown {
  const schema = objectSchema(name)
  const data = Object.fromEntries(
    Object.entries(schema.fields).flatMap(([field, about]) => {
      const found = value[field]
      if (found !== undefined) return [[field, encoded(about, found, `${name}.${field}`)]]
      if (about.optional) return []
      throw new PilothouseError("INVALID", `expected a ${describe(about.type)} as ${name}.${field}, found nothing`)
    }),
  )
  return wrap(name, schema.namespace, versionFor(schema, value), data)
}

/** The oldest version that has everything that is set: the oldest readers can then read it. */
function versionFor({ version: [major, minor], fields }: Schema, value: Values): string {
  const needed = Object.entries(fields).map(([name, { since = 0, nullSince = 0 }]) => {
    if (value[name] === undefined) return 0
    return Math.max(since, value[name] === null ? nullSince : 0)
  })
  return `${major}.${Math.max(minor, ...needed)}`
}

function wrap(name: string, namespace: string, version: string, data: unknown): unknown {
  return {
    "versioned_object.data": data,
    "versioned_object.name": name,
    "versioned_object.namespace": namespace,
    "versioned_object.version": version,
  }
}

function encoded({ type, nullable }: Field, value: unknown, where: string): unknown {
  if (value === null && nullable) return null
  if (typeof type === "string") return checked(type, value, where)
  if ("object" in type) return toObject(type.object, value, where)
  if ("list" in type) return (value as readonly Values[]).map((one) => toPrimitive(type.list, one))
  if ("wrapped" in type) {
    const objects = (value as readonly Values[]).map((one) => toPrimitive(type.wrapped, one))
    return wrap(type.in, objectSchema(type.wrapped).namespace, "1.0", { objects })
  }
  return Object.fromEntries(Object.entries(value as Values).map(([key, one]) => [key, toObject(type.map, one, `${where}.${key}`)]))
}

/** Where several are possible, the value says by `type` which it is. */
function toObject(names: readonly ObjectName[], value: unknown, where: string): unknown {
  const { type } = value as { readonly type?: ObjectName }
  const [only, ...others] = names
  const name = others.length === 0 ? only : names.find((one) => one === type)
  if (name !== undefined) return toPrimitive(name, value as Values)
  throw new PilothouseError("INVALID", `expected one of ${names.join(", ")} as the type of ${where}, found ${String(type)}`)
}

function checked(type: FieldType & string, value: unknown, where: string): unknown {
  const fits = type === "strings" ? Array.isArray(value) : type === "integer" ? Number.isInteger(value) : typeof value === type
  if (fits) return value
  throw new PilothouseError("INVALID", `expected a ${describe(type)} as ${where}, found ${JSON.stringify(value)}`)
}

function describe(type: FieldType): string {
  return typeof type === "string" ? type : "versioned object"
}
