import { createHash } from "node:crypto"
import { StatusError } from "@pilothouse/api"
import { type ClusterTrustBundle, clusterTrustBundles } from "@pilothouse/api/certificates/v1beta1"
import { type Controller, controller, type Plan, plan, type Reader, type ReconcileResult, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { counterFamily, createMetrics, exponentialBuckets, histogramFamily } from "../shared/metric-families.ts"

const name = "kube-apiserver-serving-clustertrustbundle-publisher-controller"
export const signerName = "kubernetes.io/kube-apiserver-serving"

export interface TrustBundlePublisherOptions {
  /** The text of --root-ca-file, or the CA of the kubeconfig. */
  readonly rootCa: string
  readonly metrics?: Metrics
}

/**
 * Publishes the CA of the API server as the one ClusterTrustBundle of the signer kubernetes.io/kube-apiserver-serving, for pods that project trust bundles.
 * Its name has a hash of the CA, so that another CA is another bundle; the others of the signer are deleted once it is there. Watches the bundles; one key.
 */
export function trustBundlePublisherController({ rootCa, metrics }: TrustBundlePublisherOptions): Controller {
  const key = bundleName(rootCa)
  return controller(name, {
    for: clusterTrustBundles,
    predicate: () => false,
    watches: [watch(clusterTrustBundles, "a bundle of the signer changed", ({ spec }) => (spec.signerName === signerName ? [key] : []))],
    sources: [{ listen: (enqueue) => (enqueue(key, "the controller started"), { [Symbol.dispose]: () => {} }) }],
    maxConcurrentReconciles: 1,
    observe: (_key, read) => observe(read),
    decide: (bundles) => decide(bundles, rootCa),
    onReconciled: metrics && trustBundleMetrics(metrics),
  })
}

/** Returns "kubernetes.io:kube-apiserver-serving:" and 24 digits. */
export function bundleName(rootCa: string): string {
  return `${signerName.replace("/", ":")}:${createHash("sha256").update(rootCa).digest("hex").slice(0, 24)}`
}

function observe(read: Reader): readonly ClusterTrustBundle[] {
  return read.list(clusterTrustBundles).filter(({ spec }) => spec.signerName === signerName)
}

/** Ensures the bundle of the CA, and then that the signer has no other one. */
export function decide(bundles: readonly ClusterTrustBundle[], rootCa: string): Plan {
  const name = bundleName(rootCa)
  const built = plan()
  const found = bundles.find(({ metadata }) => metadata.name === name)
  const spec = { signerName, trustBundle: rootCa }
  if (found === undefined) {
    const object: ClusterTrustBundle = { apiVersion: "certificates.k8s.io/v1beta1", kind: "ClusterTrustBundle", metadata: { name }, spec }
    built.operation({ do: "create", object, reason: "the signer has no bundle of the CA" }).nextStep()
  } else if (found.spec.trustBundle !== rootCa) {
    built.update({ ...found, spec: { ...found.spec, ...spec } }, "it should have the CA and nothing else").nextStep()
  }
  for (const other of bundles) {
    if (other === found) continue
    built.operation({ do: "delete", object: other, tolerate: ["NotFound"], reason: "it is not the bundle of the CA" })
  }
  const isDone = found?.spec.trustBundle === rootCa && bundles.length === 1
  return isDone ? built.nothing("the signer's one bundle has the CA") : built
}

const subsystem = "clustertrustbundle_publisher"

export const trustBundleFamilies = {
  total: counterFamily(`${subsystem}_sync_total`, ["code"], "Reconciles of the bundle, by the status code of the response: 200 on success"),
  seconds: histogramFamily(
    `${subsystem}_sync_duration_seconds`,
    ["code"],
    "How long the reconcile of the bundle took",
    exponentialBuckets(0.001, 2, 15),
  ),
}

function trustBundleMetrics(metrics: Metrics): (key: string, end: ReconcileResult<readonly ClusterTrustBundle[]>) => void {
  const { total, seconds } = createMetrics(metrics, trustBundleFamilies)
  return (_key, { error, milliseconds }) => {
    const code = error === undefined ? "200" : String(error instanceof StatusError ? error.statusCode : 500)
    total.add(1, { code })
    seconds.observe(milliseconds / 1000, { code })
  }
}

/** Off by default, as the kind is. */
export const trustBundlePublisherDescriptor = descriptor({
  name,
  onByDefault: false,
  featureGate: { name: "ClusterTrustBundle", maturity: "beta" },
  needs: ["rootCa"],
  create: (_set, { rootCa = "", metrics }) => trustBundlePublisherController({ rootCa, metrics }),
})
