import { deepEqual, StatusError } from "@pilothouse/api"
import { type ConfigMap, configMaps, type Namespace, namespaces } from "@pilothouse/api/core/v1"
import { type Controller, controller, type Plan, plan, type Reader, type ReconcileResult, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { counterFamily, createMetrics, exponentialBuckets, histogramFamily } from "../shared/metric-families.ts"

export interface RootCaPublisherOptions {
  /** The text of --root-ca-file, or the CA of the kubeconfig: what pods verify the API server with. Without it nothing is published. */
  readonly rootCa?: string
  readonly metrics?: Metrics
}

/**
 * Publishes the CA of the API server in every active namespace, as the ConfigMap `kube-root-ca.crt` that service account volumes project.
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

export const configMapName = "kube-root-ca.crt"

export interface Observed {
  readonly namespace: Namespace
  readonly configMap?: ConfigMap
}

export function observe(key: string, read: Reader): Observed | undefined {
  const namespace = read.get(namespaces, key)
  return namespace && { namespace, configMap: read.get(configMaps, `${key}/${configMapName}`) }
}

const descriptionAnnotation = "kubernetes.io/description"
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. " +
  "No other usage is guaranteed across distributions of Kubernetes clusters."

/** Ensures that the ConfigMap has the CA and nothing else, and a description. */
export function decide({ namespace, configMap }: Observed, rootCa: string | undefined): Plan {
  if (rootCa === undefined) return plan().nothing("no root CA is known: set --root-ca-file")
  if (namespace.status?.phase === "Terminating") return plan().nothing("the namespace is terminating")
  const data = { "ca.crt": rootCa }
  if (configMap === undefined) {
    const metadata = { name: configMapName, namespace: namespace.metadata.name, annotations: { [descriptionAnnotation]: description } }
    const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data }
    return plan().operation({ do: "create", object, reason: "the namespace does not have the CA yet", tolerate: ["NotFound"] })
  }
  const isSame = deepEqual(configMap.data ?? {}, data)
  // Any description is accepted: two releases with different texts would overwrite each other forever.
  const isDescribed = Boolean(configMap.metadata.annotations?.[descriptionAnnotation])
  if (isSame && isDescribed) return plan().nothing("the CA is there")
  const annotations = { ...configMap.metadata.annotations, [descriptionAnnotation]: description }
  const next: ConfigMap = { ...configMap, metadata: { ...configMap.metadata, annotations }, data }
  return plan().update(next, isSame ? "it does not say what it is for" : "it should have the CA and nothing else")
}

const subsystem = "root_ca_cert_publisher"

export const rootCaFamilies = {
  total: counterFamily(`${subsystem}_sync_total`, ["code"], "Reconciles of namespaces, by the status code of the response: 200 on success"),
  seconds: histogramFamily(
    `${subsystem}_sync_duration_seconds`,
    ["code"],
    "How long the reconcile of a namespace took",
    exponentialBuckets(0.001, 2, 15),
  ),
}

export function rootCaMetrics(metrics: Metrics): (key: string, end: ReconcileResult<Observed>) => void {
  const { total, seconds } = createMetrics(metrics, rootCaFamilies)
  return (_key, { error, milliseconds }) => {
    const code = error === undefined ? "200" : String(error instanceof StatusError ? error.statusCode : 500)
    total.add(1, { code })
    seconds.observe(milliseconds / 1000, { code })
  }
}

export const rootCaPublisherDescriptor = descriptor({
  name: "root-ca-certificate-publisher-controller",
  aliases: ["root-ca-cert-publisher"],
  needs: ["rootCa"],
  create: (_set, { rootCa, metrics }) => rootCaPublisherController({ rootCa, metrics }),
})
