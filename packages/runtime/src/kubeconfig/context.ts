import { PilothouseError } from "@pilothouse/seams"
import type { ClusterEntry, Kubeconfig, UserEntry } from "./types.ts"

/** The cluster, user and namespace of a context. */
export interface ResolvedContext {
  readonly context: string
  readonly clusterName: string
  readonly cluster: ClusterEntry
  readonly userName: string
  readonly user: UserEntry
  readonly namespace: string
}

/** Returns the cluster and the user of a context; of the current one by default. */
export function resolveContext(config: Kubeconfig, requested?: string): ResolvedContext {
  const from = config.from.join(", ")
  const name = requested ?? config.currentContext
  if (name === undefined) {
    throw new PilothouseError(
      "INVALID",
      `expected a current-context in ${from}, found none; choose a context (${namesIn(config.contexts)})`,
    )
  }
  const context = config.contexts.get(name)
  if (context === undefined) {
    throw new PilothouseError(
      "INVALID",
      `expected a context of ${from} (${namesIn(config.contexts)}), found "${name}"; choose one of these`,
    )
  }
  const { cluster: clusterName = "", user: userName = "", namespace = "default" } = context
  const cluster = config.clusters.get(clusterName)
  if (cluster === undefined) throw missing("cluster", clusterName, name, from, config.clusters)
  const user = userName === "" ? {} : config.users.get(userName)
  if (user === undefined) throw missing("user", userName, name, from, config.users)
  return { context: name, clusterName, cluster, userName, user, namespace: namespace || "default" }
}

function missing(what: string, found: string, context: string, from: string, known: ReadonlyMap<string, unknown>): PilothouseError {
  const words = found === "" ? "none" : `"${found}"`
  return new PilothouseError(
    "INVALID",
    `expected a ${what} of ${from} (${namesIn(known)}) in context "${context}", found ${words}; correct the context, or add the ${what}`,
  )
}

function namesIn(map: ReadonlyMap<string, unknown>): string {
  return map.size === 0 ? "there are none" : [...map.keys()].join(", ")
}
