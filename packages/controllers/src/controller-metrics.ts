import { cronJobFamilies } from "./cronjob/metrics.ts"
import { daemonSetFamilies } from "./daemonset/metrics.ts"
import { endpointSliceFamilies } from "./endpointslice/metrics.ts"
import { ephemeralVolumeFamilies } from "./ephemeral-volume/metrics.ts"
import { garbageCollectorFamilies } from "./garbage-collector/metrics.ts"
import { horizontalPodAutoscalerFamilies } from "./horizontal-pod-autoscaler/metrics.ts"
import { jobFamilies } from "./job/metrics.ts"
import { nodeIpamFamilies } from "./node-ipam/metrics.ts"
import { nodeLifecycleFamilies } from "./node-lifecycle/metrics.ts"
import { persistentVolumeFamilies } from "./persistent-volume/metrics.ts"
import { podGcFamilies } from "./pod-gc/metrics.ts"
import { replicaSetFamilies } from "./replicaset/metrics.ts"
import { rootCaFamilies } from "./root-ca-publisher/controller.ts"
import type { MetricFamily } from "./shared/metric-families.ts"
import { statefulSetFamilies } from "./statefulset/metrics.ts"
import { taintEvictionFamilies } from "./taint-eviction/metrics.ts"
import { ttlAfterFinishedFamilies } from "./ttl-after-finished/controller.ts"

/** The metric families that controllers have besides those of every controller, in the order of their names. */
export const controllerMetricFamilies: readonly MetricFamily[] = [
  cronJobFamilies,
  daemonSetFamilies,
  endpointSliceFamilies,
  ephemeralVolumeFamilies,
  garbageCollectorFamilies,
  horizontalPodAutoscalerFamilies,
  jobFamilies,
  nodeIpamFamilies,
  nodeLifecycleFamilies,
  persistentVolumeFamilies,
  podGcFamilies,
  replicaSetFamilies,
  rootCaFamilies,
  statefulSetFamilies,
  taintEvictionFamilies,
  ttlAfterFinishedFamilies,
].flatMap((families): readonly MetricFamily[] => Object.values(families))
