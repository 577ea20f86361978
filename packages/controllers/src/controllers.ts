import { cronJobDescriptor } from "./cronjob/entry.ts"
import { daemonSetDescriptor } from "./daemonset/entry.ts"
import { deploymentDescriptor } from "./deployment/entry.ts"
import type { KubeControllerDescriptor } from "./descriptor.ts"
import { disruptionDescriptor } from "./disruption/entry.ts"
import { endpointsDescriptor } from "./endpoints/entry.ts"
import { endpointSliceDescriptor } from "./endpointslice/entry.ts"
import { ephemeralVolumeDescriptor } from "./ephemeral-volume/entry.ts"
import { garbageCollectorDescriptor } from "./garbage-collector/entry.ts"
import { horizontalPodAutoscalerDescriptor } from "./horizontal-pod-autoscaler/entry.ts"
import { jobDescriptor } from "./job/entry.ts"
import { legacyTokenCleanerDescriptor } from "./legacy-token-cleaner/entry.ts"
import { namespaceDescriptor } from "./namespace/entry.ts"
import { nodeIpamDescriptor } from "./node-ipam/entry.ts"
import { nodeLifecycleDescriptor } from "./node-lifecycle/entry.ts"
import { persistentVolumeDescriptor } from "./persistent-volume/entry.ts"
import { podGcDescriptor } from "./pod-gc/entry.ts"
import { pvProtectionDescriptor } from "./pv-protection/entry.ts"
import { pvcProtectionDescriptor } from "./pvc-protection/entry.ts"
import { replicaSetDescriptor } from "./replicaset/entry.ts"
import { replicationControllerDescriptor } from "./replicationcontroller/entry.ts"
import { resourceQuotaDescriptor } from "./resource-quota/entry.ts"
import { rootCaPublisherDescriptor } from "./root-ca-publisher/entry.ts"
import { serviceAccountDescriptor } from "./service-account/entry.ts"
import { statefulSetDescriptor } from "./statefulset/entry.ts"
import { taintEvictionDescriptor } from "./taint-eviction/entry.ts"
import { tokensDescriptor } from "./tokens/entry.ts"
import { ttlAfterFinishedDescriptor } from "./ttl-after-finished/entry.ts"
import { vacProtectionDescriptor } from "./vac-protection/entry.ts"

/** Every loop of the controller manager, in the order in which they are started. */
export const controllers: readonly KubeControllerDescriptor[] = [
  deploymentDescriptor,
  replicaSetDescriptor,
  replicationControllerDescriptor,
  daemonSetDescriptor,
  statefulSetDescriptor,
  endpointsDescriptor,
  endpointSliceDescriptor,
  namespaceDescriptor,
  podGcDescriptor,
  nodeIpamDescriptor,
  nodeLifecycleDescriptor,
  taintEvictionDescriptor,
  jobDescriptor,
  cronJobDescriptor,
  ttlAfterFinishedDescriptor,
  horizontalPodAutoscalerDescriptor,
  disruptionDescriptor,
  serviceAccountDescriptor,
  tokensDescriptor,
  legacyTokenCleanerDescriptor,
  rootCaPublisherDescriptor,
  persistentVolumeDescriptor,
  pvProtectionDescriptor,
  pvcProtectionDescriptor,
  vacProtectionDescriptor,
  ephemeralVolumeDescriptor,
  resourceQuotaDescriptor,
  garbageCollectorDescriptor,
]
