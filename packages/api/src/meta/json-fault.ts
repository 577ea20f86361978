import { fitsInt64 } from "@pilothouse/seams"

/** Deeper than any object of Kubernetes, and shallow enough for every stack. */
export const maxDepth = 1000

/** Also of another realm (a test's VM context): its Object.prototype is not ours, but has no prototype either. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/** Returns why the value cannot be JSON, naming the first place; undefined when it can. */
export function jsonFault(value: unknown): string | undefined {
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
