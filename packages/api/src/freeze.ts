import { PilothouseError } from "@pilothouse/seams"

/** Freezes a JSON value in place, all the way down, and returns it. A part that is frozen already is taken to be frozen below. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key])
  return value
}

/**
 * One copy of a value as it would come out at the other end of a wire, deeply frozen: fields that are undefined are gone,
 * and what JSON cannot carry (functions, NaN, dates, class instances, cycles…) is refused with the path of the place.
 */
export function normalise<T>(value: T): T {
  const copy = copied(value, 0)
  // The quick copy only says that something is wrong; the search that names the place is run for wrong values alone.
  if (copy === refused) throw new PilothouseError("INVALID", fault(value, "", []) ?? "the value is not JSON")
  return copy as T
}

const refused = Symbol("refused")

/** Deeper than any object of Kubernetes, and shallow enough for every stack. */
const maxDepth = 1000

function copied(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : refused
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
  if (!isPlain(map)) return refused
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
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/** Why the value is not JSON, naming the place; undefined when it is. */
function fault(value: unknown, path: string, above: readonly unknown[]): string | undefined {
  const place = path === "" ? "the value" : path
  if (typeof value === "number" && !Number.isFinite(value)) return `${place}: expected a JSON value, found ${value}`
  if (value === undefined || typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
    return `${place}: expected a JSON value, found ${value === undefined ? "undefined" : `a ${typeof value}`}`
  }
  if (typeof value !== "object" || value === null) return undefined
  if (above.includes(value)) return `${place}: expected a JSON value, found an object that contains itself`
  if (above.length > maxDepth) return `${path.slice(0, 60)}…: expected at most ${maxDepth} levels of nesting`
  if (Array.isArray(value)) return firstFault(value, (_, i) => fault(value[i], `${path}[${i}]`, [...above, value]))
  if (!isPlain(value)) return `${place}: expected a JSON value, found an instance of ${value.constructor?.name || "a class"}`
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return firstFault(fields, ([key, field]) => fault(field, path === "" ? key : `${path}.${key}`, [...above, value]))
}

function firstFault<T>(items: readonly T[], check: (item: T, index: number) => string | undefined): string | undefined {
  for (let i = 0; i < items.length; i++) {
    const found = check(items[i]!, i)
    if (found !== undefined) return found
  }
  return undefined
}
