/**
 * Specs about controllers, of several groups, that need no container: addresses, slices, revisions, quotas, devices and volumes. Left out is the status
 * of a ResourceQuota that a client changes: that spec waits up to six minutes for the next count.
 */
export const controllerSpecs: readonly string[] = [
  "[sig-api-machinery] ResourceQuota should be able to update and delete ResourceQuota. [Conformance]",
  "[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a configMap. [Conformance]",
  "[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a pod. [Conformance]",
  "[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a replica set. [Conformance]",
  "[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a replication controller. [Conformance]",
  "[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a secret. [Conformance]",
  "[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a service. [Conformance]",
  "[sig-api-machinery] ResourceQuota should create a ResourceQuota and ensure its status is promptly calculated. [Conformance]",
  "[sig-api-machinery] ResourceQuota should manage the lifecycle of a ResourceQuota [Conformance]",
  "[sig-api-machinery] ResourceQuota should verify ResourceQuota with best effort scope. [Conformance]",
  "[sig-api-machinery] ResourceQuota should verify ResourceQuota with terminating scopes. [Conformance]",
  "[sig-apps] ControllerRevision [Serial] should manage the lifecycle of a ControllerRevision [Conformance]",
  "[sig-network] EndpointSlice should create Endpoints and EndpointSlices for Pods matching a Service [Conformance]",
  "[sig-network] EndpointSlice should create and delete EndpointSlices for a Service with a selector that matches no pods [Conformance]",
  "[sig-network] EndpointSlice should support creating EndpointSlice API operations [Conformance]",
  "[sig-network] EndpointSliceMirroring should mirror a custom Endpoints resource through create update and delete [Conformance]",
  "[sig-network] ServiceCIDR and IPAddress API should support IPAddress API operations [Conformance]",
  "[sig-network] ServiceCIDR and IPAddress API should support ServiceCIDR API operations [Conformance]",
  "[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 DeviceClass [Conformance]",
  "[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceClaim [Conformance]",
  "[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceClaimTemplate [Conformance]",
  "[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceSlice [Conformance]",
  "[sig-storage] CSIInlineVolumes should run through the lifecycle of a CSIDriver [Conformance]",
  "[sig-storage] CSINodes CSI Conformance should run through the lifecycle of a csinode [Conformance]",
  "[sig-storage] CSIStorageCapacity should support CSIStorageCapacities API operations [Conformance]",
  "[sig-storage] VolumeAttachment Conformance should apply changes to a volumeattachment status [Conformance]",
  "[sig-storage] VolumeAttachment Conformance should run through the lifecycle of a VolumeAttachment [Conformance]",
]
