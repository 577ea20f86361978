// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `storage.k8s.io/v1 io.k8s.api.storage.v1
CSIDriver: @ metadata:.ObjectMeta= spec*:CSIDriverSpec=
CSIDriverList: @ items*:]CSIDriver metadata:.ListMeta=
CSIDriverSpec: attachRequired:b fsGroupPolicy:s nodeAllocatableUpdatePeriodSeconds:l podInfoOnMount:b preventPodSchedulingIfMissing:b requiresRepublish:b seLinuxMount:b serviceAccountTokenInSecrets:b storageCapacity:b tokenRequests:[TokenRequest volumeLifecycleModes:%s
CSINode: @ metadata:.ObjectMeta= spec*:CSINodeSpec=
CSINodeDriver: allocatable:VolumeNodeResources name*:s= nodeID*:s= topologyKeys:[s
CSINodeList: @ items*:]CSINode metadata:.ListMeta=
CSINodeSpec: drivers*:(name)CSINodeDriver&merge:name
CSIStorageCapacity: @ capacity:q maximumVolumeSize:q metadata:.ObjectMeta= nodeTopology:.LabelSelector storageClassName*:s=
CSIStorageCapacityList: @ items*:]CSIStorageCapacity metadata:.ListMeta=
StorageClass: @ allowVolumeExpansion:b allowedTopologies:[core/v1.TopologySelectorTerm metadata:.ObjectMeta= mountOptions:[s parameters:{s provisioner*:s= reclaimPolicy:s<Delete|Recycle|Retain> volumeBindingMode:s<Immediate|WaitForFirstConsumer>
StorageClassList: @ items*:]StorageClass metadata:.ListMeta=
TokenRequest: audience*:s= expirationSeconds:l
VolumeAttachment: @ metadata:.ObjectMeta= spec*:VolumeAttachmentSpec= status:VolumeAttachmentStatus=
VolumeAttachmentList: @ items*:]VolumeAttachment metadata:.ListMeta=
VolumeAttachmentSource: inlineVolumeSpec:core/v1.PersistentVolumeSpec persistentVolumeName:s
VolumeAttachmentSpec: attacher*:s= nodeName*:s= source*:VolumeAttachmentSource=
VolumeAttachmentStatus: attachError:VolumeError attached*:b= attachmentMetadata:{s detachError:VolumeError
VolumeAttributesClass: @ driverName*:s= metadata:.ObjectMeta= parameters:{s
VolumeAttributesClassList: @ items*:]VolumeAttributesClass metadata:.ListMeta=
VolumeError: errorCode:i message:s time:t
VolumeNodeResources: count:i
`
