import { cronJobLoop } from "./cronjob/entry.ts"
import { daemonSetLoop } from "./daemonset/entry.ts"
import { deploymentLoop } from "./deployment/entry.ts"
import { disruptionLoop } from "./disruption/entry.ts"
import { endpointsLoop } from "./endpoints/entry.ts"
import { endpointSliceLoop } from "./endpointslice/entry.ts"
import { ephemeralVolumeLoop } from "./ephemeral-volume/entry.ts"
import { garbageCollectorLoop } from "./garbage-collector/entry.ts"
import { horizontalPodAutoscalerLoop } from "./horizontal-pod-autoscaler/entry.ts"
import { jobLoop } from "./job/entry.ts"
import { legacyTokenCleanerLoop } from "./legacy-token-cleaner/entry.ts"
import type { ControllerEntry } from "./loop.ts"
import { namespaceLoop } from "./namespace/entry.ts"
import { nodeIpamLoop } from "./node-ipam/entry.ts"
import { nodeLifecycleLoop } from "./node-lifecycle/entry.ts"
import { persistentVolumeLoop } from "./persistent-volume/entry.ts"
import { podGcLoop } from "./pod-gc/entry.ts"
import { pvProtectionLoop } from "./pv-protection/entry.ts"
import { pvcProtectionLoop } from "./pvc-protection/entry.ts"
import { replicaSetLoop } from "./replicaset/entry.ts"
import { replicationControllerLoop } from "./replicationcontroller/entry.ts"
import { resourceQuotaLoop } from "./resource-quota/entry.ts"
import { rootCaPublisherLoop } from "./root-ca-publisher/entry.ts"
import { serviceAccountLoop } from "./service-account/entry.ts"
import { statefulSetLoop } from "./statefulset/entry.ts"
import { taintEvictionLoop } from "./taint-eviction/entry.ts"
import { tokensLoop } from "./tokens/entry.ts"
import { ttlAfterFinishedLoop } from "./ttl-after-finished/entry.ts"
import { vacProtectionLoop } from "./vac-protection/entry.ts"

/** Every loop of the controller manager, in the order in which they are started. */
export const controllers: readonly ControllerEntry[] = [
  deploymentLoop,
  replicaSetLoop,
  replicationControllerLoop,
  daemonSetLoop,
  statefulSetLoop,
  endpointsLoop,
  endpointSliceLoop,
  namespaceLoop,
  podGcLoop,
  nodeIpamLoop,
  nodeLifecycleLoop,
  taintEvictionLoop,
  jobLoop,
  cronJobLoop,
  ttlAfterFinishedLoop,
  horizontalPodAutoscalerLoop,
  disruptionLoop,
  serviceAccountLoop,
  tokensLoop,
  legacyTokenCleanerLoop,
  rootCaPublisherLoop,
  persistentVolumeLoop,
  pvProtectionLoop,
  pvcProtectionLoop,
  vacProtectionLoop,
  ephemeralVolumeLoop,
  resourceQuotaLoop,
  garbageCollectorLoop,
]
