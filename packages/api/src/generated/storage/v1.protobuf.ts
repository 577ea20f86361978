// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
@CSIDriver metadata!meta/v1.ObjectMeta spec!CSIDriverSpec
@CSIDriverList metadata!meta/v1.ListMeta items+CSIDriver
CSIDriverSpec attachRequired?b podInfoOnMount?b volumeLifecycleModes* storageCapacity?b fsGroupPolicy? tokenRequests*TokenRequest requiresRepublish?b seLinuxMount?b nodeAllocatableUpdatePeriodSeconds?l serviceAccountTokenInSecrets?b preventPodSchedulingIfMissing?b
@CSINode metadata!meta/v1.ObjectMeta spec!CSINodeSpec
CSINodeDriver name! nodeID! topologyKeys+ allocatable?VolumeNodeResources
@CSINodeList metadata!meta/v1.ListMeta items+CSINode
CSINodeSpec drivers+CSINodeDriver
@CSIStorageCapacity metadata!meta/v1.ObjectMeta nodeTopology?meta/v1.LabelSelector storageClassName! capacity?q maximumVolumeSize?q
@CSIStorageCapacityList metadata!meta/v1.ListMeta items+CSIStorageCapacity
@StorageClass metadata!meta/v1.ObjectMeta provisioner! parameters% reclaimPolicy? mountOptions* allowVolumeExpansion?b volumeBindingMode? allowedTopologies*core/v1.TopologySelectorTerm
@StorageClassList metadata!meta/v1.ListMeta items+StorageClass
TokenRequest audience! expirationSeconds?l
@VolumeAttachment metadata!meta/v1.ObjectMeta spec!VolumeAttachmentSpec status!VolumeAttachmentStatus
@VolumeAttachmentList metadata!meta/v1.ListMeta items+VolumeAttachment
VolumeAttachmentSource persistentVolumeName? inlineVolumeSpec?core/v1.PersistentVolumeSpec
VolumeAttachmentSpec attacher! source!VolumeAttachmentSource nodeName!
VolumeAttachmentStatus attached!b attachmentMetadata% attachError?VolumeError detachError?VolumeError
@VolumeAttributesClass metadata!meta/v1.ObjectMeta driverName! parameters%
@VolumeAttributesClassList metadata!meta/v1.ListMeta items+VolumeAttributesClass
VolumeError time!t message. errorCode?i
VolumeNodeResources count?i
`
