import { attachDetachDescriptor } from "./attach-detach/controller.ts"
import { bootstrapSignerDescriptor } from "./bootstrap-signer/controller.ts"
import { trustBundlePublisherDescriptor } from "./cluster-trust-bundle-publisher/controller.ts"
import { clusterRoleAggregationDescriptor } from "./clusterrole-aggregation/controller.ts"
import { cronJobDescriptor } from "./cronjob/controller.ts"
import { csrApprovingDescriptor } from "./csr-approving/controller.ts"
import { csrCleanerDescriptor } from "./csr-cleaner/controller.ts"
import { csrSigningDescriptor } from "./csr-signing/controller.ts"
import { daemonSetDescriptor } from "./daemonset/controller.ts"
import { deploymentDescriptor } from "./deployment/controller.ts"
import { deviceTaintEvictionDescriptor } from "./device-taint-eviction/controller.ts"
import { disruptionDescriptor } from "./disruption/controller.ts"
import { endpointsDescriptor } from "./endpoints/controller.ts"
import { endpointSliceDescriptor } from "./endpointslice/controller.ts"
import { endpointSliceMirroringDescriptor } from "./endpointslice-mirroring/controller.ts"
import { ephemeralVolumeDescriptor } from "./ephemeral-volume/controller.ts"
import { garbageCollectorDescriptor } from "./garbage-collector/controller.ts"
import { horizontalPodAutoscalerDescriptor } from "./horizontal-pod-autoscaler/controller.ts"
import { jobDescriptor } from "./job/controller.ts"
import { legacyTokenCleanerDescriptor } from "./legacy-token-cleaner/controller.ts"
import { namespaceDescriptor } from "./namespace/controller.ts"
import { nodeIpamDescriptor } from "./node-ipam/controller.ts"
import { nodeLifecycleDescriptor } from "./node-lifecycle/controller.ts"
import { persistentVolumeDescriptor } from "./persistent-volume/controller.ts"
import { podCertificateRequestCleanerDescriptor } from "./pod-certificate-request-cleaner/controller.ts"
import { podGcDescriptor } from "./pod-gc/controller.ts"
import { podGroupProtectionDescriptor } from "./podgroup-protection/controller.ts"
import { pvProtectionDescriptor } from "./pv-protection/controller.ts"
import { pvcProtectionDescriptor } from "./pvc-protection/controller.ts"
import { replicaSetDescriptor } from "./replicaset/controller.ts"
import { replicationControllerDescriptor } from "./replicationcontroller/controller.ts"
import { resourceClaimDescriptor } from "./resource-claim/controller.ts"
import { resourcePoolStatusRequestDescriptor } from "./resource-pool-status-request/controller.ts"
import { resourceQuotaDescriptor } from "./resource-quota/controller.ts"
import { rootCaPublisherDescriptor } from "./root-ca-publisher/controller.ts"
import { selinuxWarningDescriptor } from "./selinux-warning/controller.ts"
import { serviceAccountDescriptor } from "./service-account/controller.ts"
import { serviceCidrDescriptor } from "./service-cidr/controller.ts"
import type { KubeControllerDescriptor } from "./shared/descriptor.ts"
import { statefulSetDescriptor } from "./statefulset/controller.ts"
import { storageVersionGcDescriptor } from "./storage-version-gc/controller.ts"
import { storageVersionMigratorDescriptor } from "./storage-version-migrator/controller.ts"
import { taintEvictionDescriptor } from "./taint-eviction/controller.ts"
import { tokenCleanerDescriptor } from "./token-cleaner/controller.ts"
import { tokensDescriptor } from "./tokens/controller.ts"
import { ttlDescriptor } from "./ttl/controller.ts"
import { ttlAfterFinishedDescriptor } from "./ttl-after-finished/controller.ts"
import { vacProtectionDescriptor } from "./vac-protection/controller.ts"
import { validatingAdmissionPolicyStatusDescriptor } from "./validatingadmissionpolicy-status/controller.ts"
import { volumeExpandDescriptor } from "./volume-expand/controller.ts"

/** The descriptors of all controllers, in the order in which the controllers start. */
export const controllers: readonly KubeControllerDescriptor[] = [
  deploymentDescriptor,
  replicaSetDescriptor,
  replicationControllerDescriptor,
  daemonSetDescriptor,
  statefulSetDescriptor,
  endpointsDescriptor,
  endpointSliceDescriptor,
  endpointSliceMirroringDescriptor,
  serviceCidrDescriptor,
  namespaceDescriptor,
  podGcDescriptor,
  nodeIpamDescriptor,
  nodeLifecycleDescriptor,
  taintEvictionDescriptor,
  ttlDescriptor,
  jobDescriptor,
  cronJobDescriptor,
  ttlAfterFinishedDescriptor,
  horizontalPodAutoscalerDescriptor,
  disruptionDescriptor,
  serviceAccountDescriptor,
  tokensDescriptor,
  legacyTokenCleanerDescriptor,
  rootCaPublisherDescriptor,
  clusterRoleAggregationDescriptor,
  csrApprovingDescriptor,
  csrSigningDescriptor,
  csrCleanerDescriptor,
  bootstrapSignerDescriptor,
  tokenCleanerDescriptor,
  persistentVolumeDescriptor,
  attachDetachDescriptor,
  volumeExpandDescriptor,
  pvProtectionDescriptor,
  pvcProtectionDescriptor,
  vacProtectionDescriptor,
  ephemeralVolumeDescriptor,
  resourceClaimDescriptor,
  deviceTaintEvictionDescriptor,
  resourceQuotaDescriptor,
  garbageCollectorDescriptor,
  validatingAdmissionPolicyStatusDescriptor,
  storageVersionMigratorDescriptor,
  trustBundlePublisherDescriptor,
  podCertificateRequestCleanerDescriptor,
  podGroupProtectionDescriptor,
  resourcePoolStatusRequestDescriptor,
  selinuxWarningDescriptor,
  storageVersionGcDescriptor,
]
