import { type Descriptor, isNotFound, keyOf } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { shownName } from "./find-resource.ts"
import { withNearest } from "./nearest-name.ts"

/** An object that is to go. */
export interface Doomed {
  readonly of: Descriptor
  readonly name: string
  readonly namespace: string | undefined
  /** Where it was asked for: "web.yaml, document 2". Undefined: on the command line. */
  readonly from?: string
  /** It was not named but among those of a list: that it is gone since, with its owner or by another client, is what was asked for. */
  readonly isListed?: boolean
}

/** What was asked for, and is nothing that could be deleted. */
export interface Unknown {
  readonly from: string
  readonly error: unknown
}

export interface DeletionOptions {
  readonly wait: boolean
  readonly ignoreNotFound?: boolean
}

/** Milliseconds between two looks whether an object has gone: hundreds may go at once, and some of them take their time. */
const firstPause = 50
const maxPause = 1000

/**
 * Deletes objects in the order of their manifests; one that cannot be deleted does not keep the others back, and all failures are reported together
 * at the end.
 */
export async function deleteAll(
  client: Client,
  asked: readonly (Doomed | Unknown)[],
  options: DeletionOptions,
  say: (line: string) => void,
): Promise<void> {
  if (asked.length === 0) say("No resources found")
  const going: Going[] = []
  const failed: { readonly from?: string; readonly error: unknown }[] = []
  for (const one of asked) {
    try {
      if ("error" in one) throw one.error
      const answer = await client.delete(one.of, keyIn(one), { propagationPolicy: "Background" })
      say(`${shownName(one.of, one.name)} deleted`)
      // A server that does not show it any more has no trace of it left.
      if (answer?.metadata.uid !== undefined) going.push({ ...one, uid: answer.metadata.uid })
    } catch (error) {
      if (isConnectionLost(error)) throw error
      const isAwaited = options.ignoreNotFound || ("isListed" in one && one.isListed)
      if (isNotFound(error) && isAwaited) continue
      failed.push({ from: one.from, error: "error" in one ? error : await withNearest(client, one, error) })
    }
  }
  if (options.wait) await Promise.all(going.map((one) => untilGone(client, one)))
  if (failed.length > 0) throw notDeleted(failed, asked.length)
}

function notDeleted(failed: readonly { readonly from?: string; readonly error: unknown }[], count: number): unknown {
  const [first] = failed
  if (count === 1 && first?.from === undefined) return first?.error
  const lines = failed.map(({ from, error }) => `${from === undefined ? "" : `${from}: `}${messageOf(error)}`)
  return new PilothouseError("INVALID", `${failed.length} of ${count} objects were not deleted:\n${lines.join("\n")}`)
}

/** No server refused anything: no other object would get further. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof PilothouseError && error.code === "CONNECTION_LOST"
}

/** One that was asked to go. */
interface Going extends Doomed {
  /** A later object of the same name has another. */
  readonly uid: string
}

async function untilGone(client: Client, going: Going): Promise<void> {
  const { of, name, uid } = going
  for (let pause = firstPause; (await uidOf(client, of, keyIn(going))) === uid; pause = Math.min(2 * pause, maxPause))
    await systemClock.sleep(pause, { name: `${name} goes` })
}

function keyIn({ name, namespace }: Doomed): string {
  return keyOf({ metadata: { name, namespace } })
}

async function uidOf(client: Client, of: Descriptor, key: string): Promise<string | undefined> {
  try {
    return (await client.get(of, key)).metadata.uid
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
