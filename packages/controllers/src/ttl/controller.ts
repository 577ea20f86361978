import { keyOf } from "@pilothouse/api"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type CacheObserver, type Controller, cacheObserver, controller, type Plan, plan, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"

export const ttlDescriptor = descriptor({ name: "ttl-controller", aliases: ["ttl"], create: () => ttlController() })

const ttlAnnotation = "node.alpha.kubernetes.io/ttl"

/**
 * Seconds for which kubelets may keep Secrets and ConfigMaps, by the number of nodes. Neighbouring steps overlap, so that a cluster whose size changes
 * by a few nodes stays on one of them.
 */
const steps = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1000, seconds: 30 },
  { min: 900, max: 2000, seconds: 60 },
  { min: 1800, max: Number.POSITIVE_INFINITY, seconds: 300 },
] as const

/** Milliseconds. What a kubelet reports of a new Node comes first: users wait for it, and the two writes would be in conflict. */
const writeDelay = 1000

/**
 * Keeps an annotation on every Node that says for how long its kubelet may cache Secrets and ConfigMaps: longer in larger clusters, so that kubelets
 * do not burden the API server. Watches Nodes. A step up or down reaches a Node with its next update, which heartbeats bring.
 */
export function ttlController(): Controller {
  const size = new ClusterSize()
  return controller("ttl-controller", {
    for: nodes,
    predicate: () => false,
    watches: [
      watch(nodes, "it is new, or changed", (node) => [keyOf(node)], { predicate: ({ type }) => type !== "deleted", delay: writeDelay }),
    ],
    cacheObservers: [size.observer()],
    observe: (key: string, read: Reader): Observed | undefined => {
      const node = read.get(nodes, key)
      return node && { node, seconds: size.seconds }
    },
    decide,
  })
}

export interface Observed {
  readonly node: Node
  readonly seconds: number
}

export function decide({ node, seconds }: Observed): Plan {
  const found = node.metadata.annotations?.[ttlAnnotation]
  if (found !== undefined && /^[+-]?\d{1,10}$/.test(found) && Number(found) === seconds) return plan().nothing(`it says ${seconds} s`)
  const patch = { metadata: { annotations: { [ttlAnnotation]: String(seconds) } } }
  return plan().patch(node, patch, `kubelets of a cluster of this size may cache for ${seconds} s`, { type: "strategic" })
}

/**
 * Counts nodes, and knows the step of their number.
 * Invariant: min ≤ count ≤ max of the step, but for the moment between two changes of the count.
 */
export class ClusterSize {
  #count = 0
  #step = 0

  get seconds(): number {
    return steps[this.#step]!.seconds
  }

  added(): void {
    this.#count++
    if (this.#count > steps[this.#step]!.max) this.#step++
  }

  deleted(): void {
    this.#count--
    if (this.#count < steps[this.#step]!.min) this.#step--
  }

  observer(): CacheObserver {
    return cacheObserver(nodes, {
      restart: () => {
        this.#count = 0
        this.#step = 0
      },
      changed: ({ type }) => {
        if (type === "added") this.added()
        if (type === "deleted") this.deleted()
      },
    })
  }
}
