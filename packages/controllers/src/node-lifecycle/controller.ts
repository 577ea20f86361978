import { leases } from "@pilothouse/api/coordination/v1"
import { nodes, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, exponentialLimiter, type Plan, plan, podsByNode, type Result, watch } from "@pilothouse/runtime"
import { decide } from "./decide.ts"
import { EvictionPace } from "./eviction-pace.ts"
import { Heartbeats } from "./heartbeats.ts"
import { evictedNodes, keyFor, leaseNamespace, nodesByReadiness, nodesByZone, type Observed, observe, podKey } from "./observe.ts"
import { defaultOptions, type NodeLifecycleOptions } from "./options.ts"
import { changesTheZone, wasPlaced, zoneKeys } from "./wake.ts"
import { isAsking } from "./watch-over.ts"

/** Milliseconds within which nodes that fail at once come to one look at the cluster. */
const together = 100

/**
 * Notices which nodes are not heard of any more, and what that means for their pods.
 * Watches nodes, their Leases and pods; writes conditions Unknown after the grace period, taints by conditions, two older labels, and Ready=False
 * on the pods of a lost node. What makes pods leave (NoExecute) comes to one node of a zone at a time, at a rate that depends on how much of
 * the zone is down, and not at all while no node is ready. Keys are the concern and what it is about ("node:a", "zone:eu/b"): a heartbeat
 * costs one look at one node.
 */
export function nodeLifecycleController(given: Partial<NodeLifecycleOptions> = {}): Controller {
  const options = { ...defaultOptions, ...given }
  const memory = new Memory()
  return controller("node-lifecycle-controller", {
    for: nodes,
    when: () => false,
    watches: [
      watch(nodes, "the node changed", ({ metadata }) => [keyFor("node", metadata.name)]),
      watch(nodes, "the readiness of a node changed", () => [keyFor("cluster")], { when: changesTheZone, after: together }),
      // Later: nodes that fail together have to be seen together, before the first of them is given up.
      watch(nodes, "the readiness of a node of the zone changed", zoneKeys, { when: changesTheZone, after: options.monitorPeriod }),
      watch(leases, "the node renewed its Lease", ({ metadata }) => (isOfNode(metadata) ? [keyFor("node", metadata.name)] : []), {
        when: (change) => change.type !== "deleted",
        after: options.monitorPeriod,
      }),
      watch(pods, "a pod was given to a node", (pod) => [podKey(pod)], { when: wasPlaced }),
    ],
    indexes: [podsByNode, nodesByZone, nodesByReadiness, evictedNodes],
    concurrency: 8,
    backoff: () => exponentialLimiter({ longest: Math.max(1000, options.monitorPeriod) }),
    eventSource: "node-controller",
    observe: (key, read) => observe(key, read, memory.heard),
    decide: (observed, { now }) => memory.keep(observed, decide(observed, memory.at(now), options), now),
    settle: (observed, results) => memory.afterwards(observed, results),
  })
}

/** What one run of the controller knows besides its caches; lost in a restart, and nothing depends on it but when things happen. */
class Memory {
  readonly heard = new Heartbeats()
  readonly #pace = new EvictionPace()
  #wasCutOff = false

  at(now: number): Parameters<typeof decide>[1] {
    return {
      now,
      heartbeat: (observed) => this.heard.note(observed, now),
      wait: (zone) => (rate) => this.#pace.wait(zone, rate, now),
    }
  }

  keep(observed: Observed, decided: Plan, now: number): Plan {
    if (observed.concern === "zone" && decided.steps.length > 0) this.#pace.tried(observed.zone, now)
    if (observed.concern === "node" && isAsking(decided)) this.heard.ask(observed.node.metadata.name ?? "")
    if (observed.concern === "gone") this.heard.forget(observed.name)
    if (observed.concern === "cluster") this.#cutOff(observed.isCutOff, now)
    return decided
  }

  /** A node that could not be called lost is asked for again with the next try; a question of its own in between would look like success. */
  afterwards(observed: Observed, results: readonly Result[]): Plan {
    const hasFailed = results.some(({ operation, ok }) => operation.do === "status" && ok !== true)
    if (observed.concern === "node" && hasFailed) this.heard.ask(observed.node.metadata.name ?? "")
    return plan()
  }

  /** When the nodes are heard again nobody knows how long they were there all the time: all begin anew. */
  #cutOff(isCutOff: boolean, now: number): void {
    if (this.#wasCutOff && !isCutOff) this.heard.startAnew(now)
    this.#wasCutOff = isCutOff
  }
}

function isOfNode({ namespace }: { readonly namespace?: string }): boolean {
  return namespace === leaseNamespace
}
