// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
@APIGroup name! versions+GroupVersionForDiscovery preferredVersion!GroupVersionForDiscovery serverAddressByClientCIDRs*ServerAddressByClientCIDR
@APIGroupList groups+APIGroup
APIResource name! namespaced!b kind! verbs!L shortNames* singularName! categories* group. version. storageVersionHash.
@APIResourceList groupVersion! resources+APIResource
@APIVersions versions+ serverAddressByClientCIDRs+ServerAddressByClientCIDR
@ApplyOptions dryRun* force!b fieldManager!
Condition type! status! observedGeneration.l lastTransitionTime!t reason! message!
@CreateOptions dryRun* fieldManager=3. fieldValidation.
@DeleteOptions gracePeriodSeconds?l preconditions?Preconditions orphanDependents?b propagationPolicy? dryRun* ignoreStoreReadErrorWithClusterBreakingPotential?b
FieldSelectorRequirement key! operator! values*
@GetOptions resourceVersion.
GroupVersionForDiscovery groupVersion! version!
GroupVersionKind group! version! kind!
GroupVersionResource group! version! resource!
LabelSelector matchLabels% matchExpressions*LabelSelectorRequirement
LabelSelectorRequirement key! operator! values*
@List metadata!ListMeta items+r
ListMeta selfLink. resourceVersion. continue. remainingItemCount?l shardInfo?ShardInfo
@ListOptions labelSelector. fieldSelector. watch.b resourceVersion. timeoutSeconds?l limit=7.l continue. allowWatchBookmarks.b resourceVersionMatch. sendInitialEvents?b shardSelector=15.
ManagedFieldsEntry manager. operation. apiVersion. time?t fieldsType=6. fieldsV1?j subresource.
ObjectMeta name. generateName. namespace. selfLink. uid. resourceVersion. generation.l creationTimestamp.t deletionTimestamp?t deletionGracePeriodSeconds?l labels% annotations% ownerReferences*OwnerReference finalizers* managedFields=17*ManagedFieldsEntry
OwnerReference kind! name=3! uid! apiVersion! controller?b blockOwnerDeletion?b
@PartialObjectMetadata metadata!ObjectMeta
@PartialObjectMetadataList metadata!ListMeta items+PartialObjectMetadata
@PatchOptions dryRun* force?b fieldManager. fieldValidation.
Preconditions uid? resourceVersion?
ServerAddressByClientCIDR clientCIDR! serverAddress!
ShardInfo selector!
@Status metadata!ListMeta status. message. reason. details?StatusDetails code.i
StatusCause reason. message. field.
StatusDetails name. group. kind. causes*StatusCause retryAfterSeconds.i uid.
@TableOptions includeObject.
@UpdateOptions dryRun* fieldManager. fieldValidation.
`
