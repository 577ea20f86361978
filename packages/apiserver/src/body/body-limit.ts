import { requestEntityTooLarge, type StatusError } from "@pilothouse/api"

/** kube-apiserver's: what etcd takes, and room for what protobuf makes of it. */
export const bodyLimit = 3 * 1024 * 1024

/** Unknown and duplicate fields that are named of one body, as upstream. */
export const findingLimit = 100

/**
 * Values in one body: each costs microseconds to check, and a body of 3 MiB has room for a million. An object of 1.5 MiB that means something has fewer:
 * the largest custom resource definition that is known, the whole one of Argo's workflows, has 57,000.
 */
export const maxValues = 75_000

const [openList, closeList, openMap, closeMap, quote, backslash, comma, space] = [0x5b, 0x5d, 0x7b, 0x7d, 0x22, 0x5c, 0x2c, 0x20]

/** Throws for a JSON text with too many values, before it is read. */
export function checkJsonValueCount(bytes: Uint8Array): void {
  if (valuesExceed(bytes)) throw tooManyValues()
}

/**
 * Reports whether a JSON text has too many values: an object of 150,000 keys takes JSON.parse a quarter of a second. There is one more than commas in
 * every list and object that is not empty.
 */
export function valuesExceed(bytes: Uint8Array, limit = maxValues): boolean {
  if (bytes.length < 2 * limit) return false
  let [left, isFirst, isText] = [limit, false, false]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (isText) {
      if (byte === backslash) at++
      else if (byte === quote) isText = false
      continue
    }
    if (byte <= space) continue
    if (byte === comma || (isFirst && byte !== closeList && byte !== closeMap)) left--
    if (left < 0) return true
    isFirst = byte === openList || byte === openMap
    isText = byte === quote
  }
  return false
}

/** Returns the refusal of a body or an object because of its fields and list items. */
export function tooManyValues(limit = maxValues): StatusError {
  return requestEntityTooLarge(`limit of fields and list items is ${limit}`)
}

/** Throws for a body with too many values. `bytes` is its length: two are the least that a value takes. */
export function checkValueCount(value: unknown, bytes: number): void {
  if (bytes >= 2 * maxValues && valueCount(value, maxValues) > maxValues) throw tooManyValues()
}

/** Returns how many fields and list items a value has; more than `limit` are not counted to the end. */
export function valueCount(value: unknown, limit: number): number {
  const open: unknown[] = [value]
  let count = 0
  for (let next = open.pop(); next !== undefined && count <= limit; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue
    const inner = Array.isArray(next) ? next : Object.values(next)
    count += inner.length
    for (const one of inner) if (typeof one === "object" && one !== null) open.push(one)
  }
  return count
}
