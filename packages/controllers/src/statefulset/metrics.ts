import { isPodAvailable, scaledIntOrPercent } from "@pilothouse/api"
import type { ReconcileResult } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { createMetrics, gaugeFamily } from "../shared/metric-families.ts"
import { staleSkipsFamily } from "../shared/stale-sync-skips.ts"
import type { Observed } from "./observe.ts"
import { desiredReplicas } from "./ordinals.ts"

const subsystem = "statefulset_controller"
const labels = ["statefulset_namespace", "statefulset_name", "pod_management_policy"]

export const statefulSetFamilies = {
  maxUnavailable: gaugeFamily(`${subsystem}_statefulset_max_unavailable`, labels, "Pods that may be unavailable while an update rolls out"),
  unavailable: gaugeFamily(`${subsystem}_statefulset_unavailable_replicas`, labels, "Pods that are wanted and not available"),
  skips: staleSkipsFamily(subsystem, "StatefulSets"),
}

/** Returns an observer of reconciles that keeps the allowed and the actual number of unavailable pods. */
export function statefulSetMetrics(metrics: Metrics): (key: string, end: ReconcileResult<Observed>) => void {
  const { maxUnavailable, unavailable } = createMetrics(metrics, statefulSetFamilies)
  return (_key, { observed, now }) => {
    if (observed === undefined) return
    const { metadata, spec } = observed.set
    const about = {
      statefulset_namespace: metadata.namespace ?? "",
      statefulset_name: metadata.name ?? "",
      pod_management_policy: spec?.podManagementPolicy ?? "OrderedReady",
    }
    const wanted = desiredReplicas(observed.set)
    const available = observed.pods.filter((pod) => isPodAvailable(pod, spec?.minReadySeconds ?? 0, now)).length
    unavailable.set(Math.max(0, wanted - available), about)
    maxUnavailable.set(Math.max(1, scaledIntOrPercent(spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, wanted, "down")), about)
  }
}
