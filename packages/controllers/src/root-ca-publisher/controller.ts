import { configMaps, namespaces } from "@pilothouse/api/core/v1"
import { type Controller, controller, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { decide } from "./decide.ts"
import { rootCaMetrics } from "./metrics.ts"
import { configMapName, observe } from "./observe.ts"

export interface RootCaPublisherOptions {
  /** The text of --root-ca-file, or the CA of the kubeconfig: what pods verify the API server with. Without it nothing is published. */
  readonly rootCa?: string
  readonly metrics?: Metrics
}

/**
 * Publishes the CA of the API server in every active namespace, as the ConfigMap `kube-root-ca.crt` that service account volumes are made of.
 * Watches namespaces and those ConfigMaps; restores what is edited or deleted, and leaves another text of the description alone.
 */
export function rootCaPublisherController({ rootCa, metrics }: RootCaPublisherOptions = {}): Controller {
  return controller("root-ca-certificate-publisher-controller", {
    for: namespaces,
    predicate: (change) => change.type !== "deleted",
    watches: [
      watch(configMaps, "its ConfigMap changed", ({ metadata }) => [metadata.namespace ?? ""], {
        predicate: ({ type, object }, initial) => object.metadata.name === configMapName && !initial && type !== "added",
      }),
    ],
    maxConcurrentReconciles: 1,
    observe,
    decide: (observed) => decide(observed, rootCa),
    onReconciled: metrics && rootCaMetrics(metrics),
  })
}
