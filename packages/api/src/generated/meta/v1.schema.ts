// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `v1 io.k8s.apimachinery.pkg.apis.meta.v1
APIGroup: @ name*:s= preferredVersion:GroupVersionForDiscovery= serverAddressByClientCIDRs:[ServerAddressByClientCIDR versions*:[GroupVersionForDiscovery
APIGroupList: @ groups*:[APIGroup
APIResource: categories:[s group:s kind*:s= name*:s= namespaced*:b= shortNames:[s singularName*:s= storageVersionHash:s verbs*:]s version:s
APIResourceList: @ groupVersion*:s= resources*:[APIResource
APIVersions: @ serverAddressByClientCIDRs*:[ServerAddressByClientCIDR versions*:[s
Condition: lastTransitionTime*:t message*:s= observedGeneration:l reason*:s= status*:s= type*:s=
DeleteOptions: @* dryRun:[s gracePeriodSeconds:l ignoreStoreReadErrorWithClusterBreakingPotential:b orphanDependents:b preconditions:Preconditions propagationPolicy:s
FieldSelectorRequirement: key*:s= operator*:s= values:[s
FieldsV1: ?
GroupResource: group*:s= resource*:s=
GroupVersionForDiscovery: groupVersion*:s= version*:s=
LabelSelector: ! matchExpressions:[LabelSelectorRequirement matchLabels:{s
LabelSelectorRequirement: key*:s= operator*:s= values:[s
List: @ items*:]r metadata:ListMeta=
ListMeta: continue:s remainingItemCount:l resourceVersion:s selfLink:s shardInfo:ShardInfo
ManagedFieldsEntry: apiVersion:s fieldsType:s fieldsV1:FieldsV1 manager:s operation:s subresource:s time:t
ObjectMeta: annotations:{s creationTimestamp:t deletionGracePeriodSeconds:l deletionTimestamp:t finalizers:%s&merge generateName:s generation:l labels:{s managedFields:[ManagedFieldsEntry name:s namespace:s ownerReferences:(uid)OwnerReference&merge:uid resourceVersion:s selfLink:s uid:s
OwnerReference: ! apiVersion*:s= blockOwnerDeletion:b controller:b kind*:s= name*:s= uid*:s=
PartialObjectMetadata: @meta.k8s.io/v1 metadata:ObjectMeta=
PartialObjectMetadataList: @meta.k8s.io/v1 items*:]PartialObjectMetadata metadata:ListMeta=
Preconditions: resourceVersion:s uid:s
ServerAddressByClientCIDR: clientCIDR*:s= serverAddress*:s=
ShardInfo: selector*:s=
Status: @ code:i details:StatusDetails message:s metadata:ListMeta= reason:s status:s
StatusCause: field:s message:s reason:s
StatusDetails: causes:[StatusCause group:s kind:s name:s retryAfterSeconds:i uid:s
Table: @meta.k8s.io/v1 columnDefinitions*:[TableColumnDefinition metadata:ListMeta= rows*:[TableRow
TableColumnDefinition: description*:s= format*:s= name*:s= priority*:i= type*:s=
TableRow: cells*:[a conditions:[TableRowCondition object:r
TableRowCondition: message:s reason:s status*:s= type*:s=
WatchEvent: @* object*:r type*:s=
`
