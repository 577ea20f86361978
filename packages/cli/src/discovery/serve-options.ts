import { PilothouseError } from "@pilothouse/seams"
import { registrySettings } from "./registry-flags.ts"
import type { ServeDiscoveryOptions } from "./serve.ts"
import type { ServeFlags } from "./serve-flags.ts"

type FlagOptions = "host" | "port" | "debugPort" | "reading" | "syncTimeout" | "limits" | "acrossNetworks" | "ttl"

/** What the flags say of how a server is to serve. */
export function serveOptions(flags: ServeFlags): Pick<ServeDiscoveryOptions, FlagOptions> {
  const { maxStreams, maxStreamsPerConnection, maxConnections } = flags
  return {
    host: flags.bindAddress,
    port: flags.port,
    debugPort: flags.debugPort,
    reading: registrySettings(flags),
    // 0 is for ever.
    syncTimeout: flags.syncTimeout || undefined,
    limits: { maximumStreams: maxStreams, streamsPerConnection: maxStreamsPerConnection, maximumConnections: maxConnections },
    acrossNetworks: flags.acrossNetworks,
    ttl: flags.resourceTtl,
  }
}

/** What the clusters are called, in their order. One that is called like another would take its place. */
export function clusterNames({ kubeconfig = [""], clusterId }: Pick<ServeFlags, "kubeconfig" | "clusterId">): readonly string[] {
  if (clusterId === undefined) return kubeconfig.map((_, index) => (index === 0 ? "Kubernetes" : `cluster-${index + 1}`))
  const wanted = kubeconfig.length
  if (clusterId.length === wanted && new Set(clusterId).size === wanted) return clusterId
  const found = clusterId.join(", ")
  throw new PilothouseError("USAGE", `expected ${wanted} different names for --cluster-id, one for each cluster, found ${found}`)
}
