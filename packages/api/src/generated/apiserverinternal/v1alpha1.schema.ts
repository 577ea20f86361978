// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `internal.apiserver.k8s.io/v1alpha1 io.k8s.api.apiserverinternal.v1alpha1
ServerStorageVersion: apiServerID*:s decodableVersions*:%s encodingVersion*:s servedVersions:%s
StorageVersion: @ metadata*:.ObjectMeta= spec:StorageVersionSpec= status:StorageVersionStatus=
StorageVersionCondition: lastTransitionTime:t message*:s observedGeneration:l reason*:s= status*:s= type*:s=
StorageVersionList: @ items*:]StorageVersion metadata:.ListMeta=
StorageVersionSpec:
StorageVersionStatus: commonEncodingVersion:s conditions:(type)StorageVersionCondition storageVersions:(apiServerID)ServerStorageVersion
`
