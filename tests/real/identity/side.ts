import { setTimeout as delay } from "node:timers/promises"
import { stringifyJson } from "@pilothouse/seams"
import type { ApiAnswer, ApiClient } from "../api-client.ts"
import type { Group } from "../tally.ts"

/** One of the two control planes. */
export interface Side {
  readonly client: ApiClient
  /** The key that signs the tokens of its service accounts (PEM). */
  readonly key: string
}

export type Verb = "GET" | "POST" | "PUT" | "DELETE" | "PATCH"

export async function send({ client }: Side, verb: Verb, path: string, body?: unknown): Promise<ApiAnswer> {
  return client.send({ verb, path, ...(body !== undefined && { body }) })
}

const varying = /^(uid|resourceVersion|creationTimestamp|managedFields|expirationTimestamp|lastUpdateTime|lastTransitionTime|token)$/

/** Texts that each server draws by itself: times, UIDs and identifiers of tokens are left out. */
export function comparable(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID")
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([name, one]) => !varying.test(name) && one !== null)
  return Object.fromEntries(kept.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, one]) => [name, comparable(one)]))
}

/** Does the same on both sides and compares what comes of it. */
export async function compare(group: Group, sides: readonly Side[], title: string, act: (side: Side) => Promise<unknown>): Promise<void> {
  const [theirs, own] = await Promise.all(sides.map(async (side) => stringifyJson(comparable(await act(side)))))
  group.case(title, theirs === own ? undefined : `real: ${theirs}\nours: ${own}`)
}

/** Waits for a state, for ten seconds at most; returns the last one. */
export async function until<T>(read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  const end = performance.now() + 10_000
  for (;;) {
    const value = await read()
    if (isDone(value) || performance.now() > end) return value
    await delay(100)
  }
}
