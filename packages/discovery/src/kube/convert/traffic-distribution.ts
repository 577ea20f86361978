import type { Namespace, Service } from "@pilothouse/api/core/v1"
import type { TrafficDistribution } from "../../model/service.ts"

export const distributionAnnotation = "networking.istio.io/traffic-distribution"

const known: Readonly<Record<string, TrafficDistribution>> = {
  preferclose: "same-zone",
  prefersamezone: "same-zone",
  prefersamenode: "same-node",
}

/** What the Service's spec says, else its annotation, else that of its namespace. An unknown word is "any". */
export function distributionOf(service: Service, namespace: Namespace | undefined): TrafficDistribution {
  const said =
    service.spec?.trafficDistribution ??
    service.metadata.annotations?.[distributionAnnotation] ??
    namespace?.metadata.annotations?.[distributionAnnotation]
  const word = (said ?? "").toLowerCase()
  return Object.hasOwn(known, word) ? known[word]! : "any"
}
