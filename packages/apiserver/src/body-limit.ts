import { requestEntityTooLarge } from "@pilothouse/api"

/** kube-apiserver's: what etcd takes, and room for what protobuf makes of it. */
export const bodyLimit = 3 * 1024 * 1024

/** Unknown and duplicate fields that are named of one body, as upstream. */
export const findingLimit = 100

/** Values in one body: each costs microseconds to check, and a body of 3 MiB has room for a million. An object of 1.5 MiB that means something has fewer. */
const maxValues = 100_000

/** Throws for a body with too many values. `bytes` is its length: two are the least that a value takes. */
export function checkValueCount(value: unknown, bytes: number): void {
  if (bytes < 2 * maxValues) return
  const open: unknown[] = [value]
  let left = maxValues
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue
    const inner = Array.isArray(next) ? next : Object.values(next)
    left -= inner.length
    if (left < 0) throw requestEntityTooLarge(`limit of fields and list items is ${maxValues}`)
    for (const one of inner) if (typeof one === "object" && one !== null) open.push(one)
  }
}
