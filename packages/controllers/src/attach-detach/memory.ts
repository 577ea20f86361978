import { conflict } from "@pilothouse/api"
import { volumeAttachments } from "@pilothouse/api/storage/v1"
import { type Executor, type RememberOperation, remembers } from "@pilothouse/runtime"

/** What is remembered of the volumes of one node, each by its name in the status of the Node. */
export interface NodeMemory {
  /** Since when a volume is to be detached, in milliseconds since 1970. */
  readonly detachSince: Readonly<Record<string, number>>
  /** What the events of its pods said last of a volume that cannot be attached. */
  readonly reported: Readonly<Record<string, string>>
  /** Volumes for one node that are about to be attached to this one: their VolumeAttachments are not in the cache yet. */
  readonly claimed: readonly string[]
}

export const emptyMemory: NodeMemory = { detachSince: {}, reported: {}, claimed: [] }

/** Replaces what is remembered of a node. Fails when another node has claimed one of the volumes. */
export interface RememberVolumes extends RememberOperation {
  readonly do: "remember-volumes"
  readonly node: string
  readonly memory: NodeMemory
}

/** Counts a detach that a node did not agree to. */
export interface RememberForcedDetach extends RememberOperation {
  readonly do: "remember-forced-detach"
  readonly cause: "timeout" | "out-of-service"
}

/**
 * Remembers since when volumes are to be detached, what was reported, and which node is about to get a volume that only one may have. After a restart
 * waits begin again, as upstream's.
 *
 * Invariant: a volume is claimed by at most one node.
 */
export class VolumeMemory {
  readonly #nodes = new Map<string, NodeMemory>()
  readonly #claims = new Map<string, string>()

  of(node: string): NodeMemory {
    return this.#nodes.get(node) ?? emptyMemory
  }

  /** The node that is about to get a volume. */
  claimantOf(volume: string): string | undefined {
    return this.#claims.get(volume)
  }

  keep(node: string, memory: NodeMemory): void {
    const taken = memory.claimed.find((volume) => (this.#claims.get(volume) ?? node) !== node)
    if (taken !== undefined)
      throw conflict(volumeAttachments, taken, `expected it for the node ${node}, found that ${this.#claims.get(taken)} is about to get it`)
    for (const volume of this.of(node).claimed) this.#claims.delete(volume)
    for (const volume of memory.claimed) this.#claims.set(volume, node)
    const isEmpty = [memory.claimed, Object.keys(memory.detachSince), Object.keys(memory.reported)].every(({ length }) => length === 0)
    if (isEmpty) this.#nodes.delete(node)
    else this.#nodes.set(node, memory)
  }

  executors(forced: (cause: string) => void): readonly Executor[] {
    return [
      remembers<RememberVolumes>("remember-volumes", ({ node, memory }) => this.keep(node, memory)),
      remembers<RememberForcedDetach>("remember-forced-detach", ({ cause }) => forced(cause)),
    ]
  }
}
