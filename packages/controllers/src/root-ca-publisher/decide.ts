import { deepEqual } from "@pilothouse/api"
import type { ConfigMap } from "@pilothouse/api/core/v1"
import { type Plan, plan } from "@pilothouse/runtime"
import { configMapName, type Observed } from "./observe.ts"

const descriptionAnnotation = "kubernetes.io/description"
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. " +
  "No other usage is guaranteed across distributions of Kubernetes clusters."

/** The ConfigMap has the CA and nothing else, and says what it is for. */
export function decide({ namespace, configMap }: Observed, rootCa: string | undefined): Plan {
  if (rootCa === undefined) return plan().nothing("no root CA is known: set --root-ca-file")
  if (namespace.status?.phase === "Terminating") return plan().nothing("the namespace goes away")
  const data = { "ca.crt": rootCa }
  if (configMap === undefined) {
    const metadata = { name: configMapName, namespace: namespace.metadata.name, annotations: { [descriptionAnnotation]: description } }
    const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data }
    return plan().operation({ do: "create", object, reason: "the namespace does not have the CA yet", tolerate: ["NotFound"] })
  }
  const isSame = deepEqual(configMap.data ?? {}, data)
  // A text that somebody else wrote is as good: two releases with different texts would overwrite each other for ever.
  const isDescribed = Boolean(configMap.metadata.annotations?.[descriptionAnnotation])
  if (isSame && isDescribed) return plan().nothing("the CA is there")
  const annotations = { ...configMap.metadata.annotations, [descriptionAnnotation]: description }
  const next: ConfigMap = { ...configMap, metadata: { ...configMap.metadata, annotations }, data }
  return plan().update(next, isSame ? "it does not say what it is for" : "it should have the CA and nothing else")
}
