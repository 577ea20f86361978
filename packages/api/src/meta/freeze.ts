import { exactNumber, fitsInt64, PilothouseError } from "@pilothouse/seams"

/** Deeper than any object of Kubernetes, and shallow enough for every stack. */
const maxDepth = 1000

/** Freezes a JSON value in place, all the way down, and returns it. A part that is frozen already is taken to be frozen below. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key])
  return value
}

/**
 * One copy of a value as it would come out at the other end of a wire, deeply frozen: fields that are undefined are gone, integers are
 * as `exactNumber` has them, and what JSON cannot carry (functions, NaN, dates, class instances, cycles…) is refused with the path of the place.
 */
export function normalise<T>(value: T): T {
  const copy = copied(value, 0)
  // The quick copy only says that something is wrong; the search that names the place is run for wrong values alone.
  if (copy === refused) throw new PilothouseError("INVALID", jsonFault(value) ?? "the value is not JSON")
  return copy as T
}

const refused = Symbol("refused")

function copied(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      // JSON has one zero, and an integer has one form.
      return Number.isFinite(value) ? exactNumber(value) : refused
    case "bigint":
      return fitsInt64(value) ? exactNumber(value) : refused
    case "object":
      if (value === null) return null
      if (depth > maxDepth) return refused
      return Array.isArray(value) ? copiedList(value, depth) : copiedMap(value as Record<string, unknown>, depth)
    default:
      return refused
  }
}

function copiedList(list: readonly unknown[], depth: number): unknown {
  const copy = new Array<unknown>(list.length)
  for (let i = 0; i < list.length; i++) {
    const item = copied(list[i], depth + 1)
    if (item === refused) return refused
    copy[i] = item
  }
  return Object.freeze(copy)
}

function copiedMap(map: Readonly<Record<string, unknown>>, depth: number): unknown {
  if (!isPlainObject(map)) return refused
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(map)) {
    const field = map[key]
    if (field === undefined) continue
    const value = copied(field, depth + 1)
    if (value === refused) return refused
    // JSON may have a field of this name; assigning it would set the prototype instead.
    if (key === "__proto__") Object.defineProperty(copy, key, { value, enumerable: true })
    else copy[key] = value
  }
  return Object.freeze(copy)
}

/** Also of another realm (a test's VM context): its Object.prototype is not ours, but has no prototype either. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/** Returns why the value cannot be JSON, naming the first place; undefined when it can. */
function jsonFault(value: unknown): string | undefined {
  return faultAt(value, { path: "", above: [] })
}

interface Place {
  readonly path: string
  /** The lists and objects around it. */
  readonly above: readonly unknown[]
}

function faultAt(value: unknown, place: Place): string | undefined {
  if (typeof value !== "object" || value === null) return scalarFault(value, place)
  if (place.above.includes(value)) return found(place, "an object that contains itself")
  if (place.above.length > maxDepth) return `${place.path.slice(0, 60)}…: expected at most ${maxDepth} levels of nesting`
  const above = [...place.above, value]
  if (Array.isArray(value)) return firstFault(value.length, (i) => faultAt(value[i], { path: `${place.path}[${i}]`, above }))
  if (!isPlainObject(value)) return found(place, `an instance of ${value.constructor?.name || "a class"}`)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return firstFault(fields.length, (i) => {
    const [key, field] = fields[i]!
    return faultAt(field, { path: place.path === "" ? key : `${place.path}.${key}`, above })
  })
}

function scalarFault(value: unknown, place: Place): string | undefined {
  if (value === undefined) return found(place, "undefined")
  if (typeof value === "number") return Number.isFinite(value) ? undefined : found(place, `${value}`)
  if (typeof value === "bigint") return fitsInt64(value) ? undefined : found(place, `${value}, which 64 bits cannot hold`)
  return typeof value === "function" || typeof value === "symbol" ? found(place, `a ${typeof value}`) : undefined
}

function found({ path }: Place, what: string): string {
  return `${path === "" ? "the value" : path}: expected a JSON value, found ${what}`
}

function firstFault(count: number, faultOf: (index: number) => string | undefined): string | undefined {
  for (let i = 0; i < count; i++) {
    const fault = faultOf(i)
    if (fault !== undefined) return fault
  }
  return undefined
}
