import { isRefusal } from "../../clients/calls/errors.ts"
import type { Octavia } from "../../clients/octavia/octavia.ts"
import type { Listener, Pool } from "../../clients/octavia/types.ts"
import { type ClusterMarks, isOfOtherCluster, type Marked, markedOwner, markTags, withMark } from "../../drivers/creation/cluster-marks.ts"
import { isKuryrsOwn } from "./floating-ip.ts"
import type { FoundTree, UnmarkedPart } from "./tree.ts"

/**
 * How load balancers and their parts are marked with their owner: in their tags; in their descriptions in the old service and in Octavia before
 * v2.5. Invariant: #byTags is true until tags are refused.
 */
export class Marks {
  readonly #clusterMarks: ClusterMarks
  #byTags: boolean

  constructor({ flavour }: Pick<Octavia, "flavour">, clusterMarks: ClusterMarks) {
    this.#clusterMarks = clusterMarks
    this.#byTags = flavour === "octavia"
  }

  /** What something of this owner says, beside what it says already. */
  of(owner: string, { tags, description }: Marked = {}): Marked {
    if (this.#byTags) return { tags: [...new Set([...(tags ?? []), ...markTags(this.#clusterMarks, owner)])] }
    return { description: withMark(description, this.#clusterMarks, owner) }
  }

  /** Makes a call that has marks in it; once more, with descriptions, where tags are not known. */
  async write<T>(call: () => Promise<T>): Promise<T> {
    const byTags = this.#byTags
    try {
      return await call()
    } catch (error) {
      if (!byTags || !refusesTags(error)) throw error
      this.#byTags = false
      return call()
    }
  }
}

/** "Unknown attribute for argument loadbalancer: tags" */
function refusesTags(error: unknown): boolean {
  if (!isRefusal(error, "invalid")) return false
  const { text } = error.refusal
  const at = text.search(/unknown attributes? /i)
  return at >= 0 && /\btags\b/i.test(text.slice(at).split("\n", 1)[0]!)
}

interface Parts extends Pick<FoundTree, "balancer" | "floating"> {
  readonly listeners: readonly Listener[]
  readonly pools: readonly Pool[]
}

/**
 * Returns the parts without an owner mark: kuryr created them, or an earlier release. First a floating IP of kuryr's, not one that a user brought,
 * since no provider can refuse it; then the load balancer: the others are deleted with it.
 */
export function unmarkedParts(clusterMarks: ClusterMarks, { balancer, floating, listeners, pools }: Parts): readonly UnmarkedPart[] {
  const all: readonly UnmarkedPart[] = [
    ...(floating !== undefined && isKuryrsOwn(floating) ? [{ kind: "floating IP" as const, part: floating }] : []),
    { kind: "load balancer", part: balancer },
    ...listeners.map((part) => ({ kind: "listener" as const, part })),
    ...pools.map((part) => ({ kind: "pool" as const, part })),
  ]
  return all.filter(({ part }) => markedOwner(part) === undefined && !isOfOtherCluster(part, clusterMarks))
}
