import { tests as conformance } from "@bufbuild/cel-spec/testdata/conformance.js"
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  stringType,
  Type,
  timestampType,
  typeOfType,
  uintType,
} from "../types/types.ts"
import { parseDuration } from "../values/duration.ts"
import { int } from "../values/integers.ts"
import { MapValue } from "../values/maps.ts"
import { parseTimestamp } from "../values/timestamp.ts"
import { double, Uint, type Value } from "../values/value.ts"

/** A value as the conformance data writes it: JSON of cel.expr.Value. */
export interface WireValue {
  readonly int64Value?: string
  readonly uint64Value?: string
  readonly doubleValue?: number | string
  readonly stringValue?: string
  readonly bytesValue?: string
  readonly boolValue?: boolean
  readonly nullValue?: unknown
  readonly typeValue?: string
  readonly listValue?: { readonly values?: readonly WireValue[] }
  readonly mapValue?: { readonly entries?: readonly { readonly key: WireValue; readonly value: WireValue }[] }
  readonly objectValue?: { readonly "@type": string; readonly value?: unknown }
}

/** A type as the conformance data writes it: JSON of cel.expr.Type. */
export interface WireType {
  readonly primitive?: string
  readonly wellKnown?: string
  readonly dyn?: unknown
  readonly null?: unknown
  readonly listType?: { readonly elemType?: WireType }
  readonly mapType?: { readonly keyType?: WireType; readonly valueType?: WireType }
  readonly messageType?: string
  readonly wrapper?: string
  readonly abstractType?: { readonly name: string; readonly parameterTypes?: readonly WireType[] }
  readonly type?: WireType
}

/** One case of cel-spec. */
export interface ConformanceCase {
  readonly suite: string
  readonly name: string
  readonly expr: string
  readonly container?: string
  readonly disableCheck?: boolean
  readonly checkOnly?: boolean
  readonly typeEnv?: readonly { readonly name: string; readonly ident?: { readonly type: WireType }; readonly function?: unknown }[]
  readonly bindings?: Readonly<Record<string, { readonly value?: WireValue }>>
  readonly value?: WireValue
  readonly typedResult?: { readonly result?: WireValue; readonly deducedType?: WireType }
  readonly evalError?: { readonly errors?: readonly { readonly message?: string }[] }
}

interface WireSuite {
  readonly name: string
  readonly suites?: readonly WireSuite[]
  readonly tests?: readonly { readonly original: Omit<ConformanceCase, "suite"> }[]
}

/** Returns the cases of the named files, in their order. */
export function conformanceCases(files: readonly string[]): ConformanceCase[] {
  const suites = (conformance as unknown as WireSuite).suites ?? []
  return suites.filter(({ name }) => files.includes(name)).flatMap((suite) => casesIn(suite, suite.name))
}

function casesIn({ suites = [], tests = [] }: WireSuite, path: string): ConformanceCase[] {
  return [
    ...tests.map(({ original }) => ({ ...original, suite: path })),
    ...suites.flatMap((suite) => casesIn(suite, `${path}/${suite.name}`)),
  ]
}

const named: Readonly<Record<string, Type>> = {
  BOOL: boolType,
  BYTES: bytesType,
  DOUBLE: doubleType,
  DURATION: durationType,
  INT64: intType,
  STRING: stringType,
  TIMESTAMP: timestampType,
  UINT64: uintType,
}

/** Returns the type that the data names; undefined where it is one of protocol buffers. */
export function typeFromWire(type: WireType | undefined): Type | undefined {
  if (!type || "dyn" in type) return dynType
  if ("null" in type) return nullType
  if (type.primitive || type.wellKnown) return named[type.primitive ?? type.wellKnown ?? ""]
  if (type.listType) return compound([type.listType.elemType], ([element]) => listType(element as Type))
  if (type.mapType) return compound([type.mapType.keyType, type.mapType.valueType], ([key, value]) => mapType(key as Type, value as Type))
  if (type.type) return compound([type.type], ([inner]) => typeOfType(inner as Type))
  if (!type.abstractType) return undefined
  const { name, parameterTypes = [] } = type.abstractType
  return compound(parameterTypes, (parameters) => opaqueType(name, ...parameters))
}

function compound(parts: readonly (WireType | undefined)[], make: (types: readonly Type[]) => Type): Type | undefined {
  const types = parts.map(typeFromWire)
  return types.every((type) => type !== undefined) ? make(types) : undefined
}

/** Returns the value that the data names; undefined where it is a message. */
export function valueFromWire(value: WireValue): Value | undefined {
  if (value.int64Value !== undefined) return int(BigInt(value.int64Value))
  if (value.uint64Value !== undefined) return new Uint(BigInt(value.uint64Value))
  if (value.doubleValue !== undefined) return double(Number(value.doubleValue))
  if (value.stringValue !== undefined) return value.stringValue
  if (value.boolValue !== undefined) return value.boolValue
  if (value.bytesValue !== undefined) return new Uint8Array(Buffer.from(value.bytesValue, "base64"))
  if (value.typeValue !== undefined) return new Type("opaque", value.typeValue)
  if (value.listValue) return listFromWire(value.listValue.values ?? [])
  if (value.mapValue) return mapFromWire(value.mapValue.entries ?? [])
  if (value.objectValue) return objectFromWire(value.objectValue)
  return null
}

function listFromWire(values: readonly WireValue[]): Value | undefined {
  const items = values.map(valueFromWire)
  return items.every((item) => item !== undefined) ? items : undefined
}

function mapFromWire(entries: readonly { readonly key: WireValue; readonly value: WireValue }[]): Value | undefined {
  const map = new MapValue()
  for (const { key, value } of entries) {
    const [wantedKey, wantedValue] = [valueFromWire(key), valueFromWire(value)]
    if (wantedKey === undefined || wantedValue === undefined) return undefined
    map.add(wantedKey, wantedValue)
  }
  return map
}

function objectFromWire({ "@type": type, value }: NonNullable<WireValue["objectValue"]>): Value | undefined {
  if (type.endsWith("google.protobuf.Duration")) return parseDuration(String(value))
  return type.endsWith("google.protobuf.Timestamp") ? parseTimestamp(String(value)) : undefined
}
