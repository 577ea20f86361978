import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Pod } from "@pilothouse/api/core/v1"
import { PilothouseError, queryValue, type Transport } from "@pilothouse/seams"

const sample: Pod = JSON.parse(readFileSync(join(import.meta.dirname, "..", "samples", "pod.json"), "utf8"))

/** The sample pod as one of many: what differs between the pods of a cluster differs here too. */
export function podNumber(number: number): Pod {
  const id = number.toString(16).padStart(12, "0")
  const text = JSON.stringify(sample)
    .replaceAll("x7k2m", id.slice(-5))
    .replaceAll("9wq4z", id.slice(-5))
    .replaceAll("5a8e61d4b7f0", id)
    .replaceAll("10.244.7.93", `10.${(number >> 14) & 127}.${(number >> 7) & 127}.${number & 127}`)
    .replaceAll("8e6d9b70c1f3a825", id)
    .replaceAll("worker-07", `worker-${number % 100}`)
    .replaceAll('"48213977"', `"${1_000_000 + number}"`)
  return JSON.parse(text)
}

/** A list as a server writes it: items without their type. */
export function podList(count: number): Uint8Array {
  const items = Array.from({ length: count }, (_, number) => {
    const { apiVersion: _version, kind: _kind, ...item } = podNumber(number)
    return item
  })
  const list = { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: String(1_000_000 + count) }, items }
  return new TextEncoder().encode(JSON.stringify(list))
}

/** A server that answers one list, then one watch with these chunks, then nothing: all over the wire. */
export function wireServer(list: Uint8Array, chunks: readonly Uint8Array[] = []): Transport {
  return async ({ query, signal }) => {
    if (queryValue(query, "watch") !== "true") {
      return { status: 200, headers: {}, body: { type: "bytes", bytes: list, contentType: "application/json" } }
    }
    if (queryValue(query, "sendInitialEvents") === "true") throw new PilothouseError("CONNECTION_LOST", "this server only lists")
    async function* frames() {
      for (const bytes of chunks) yield { type: "bytes" as const, bytes }
      await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }))
    }
    return { status: 200, headers: {}, body: { type: "stream", frames: frames() } }
  }
}

/**
 * Milliseconds of CPU that each piece of work takes: the least of several tries, taken in turn.
 * A machine that has something else to do for a while then disturbs all of them, and not just one.
 */
export async function cpuOf<Name extends string>(
  tries: number,
  works: Readonly<Record<Name, () => unknown>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[]
  const min = Object.fromEntries(names.map((name) => [name, Number.POSITIVE_INFINITY])) as Record<Name, number>
  for (let at = 0; at < tries; at++) {
    for (const name of names) {
      const before = process.cpuUsage()
      await works[name]()
      const { user, system } = process.cpuUsage(before)
      min[name] = Math.min(min[name], (user + system) / 1000)
    }
  }
  return min
}
