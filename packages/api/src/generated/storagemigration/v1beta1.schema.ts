// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `storagemigration.k8s.io/v1beta1 io.k8s.api.storagemigration.v1beta1
StorageVersionMigration: @ metadata:.ObjectMeta= spec:StorageVersionMigrationSpec= status:StorageVersionMigrationStatus=
StorageVersionMigrationList: @ items*:]StorageVersionMigration metadata:.ListMeta=
StorageVersionMigrationSpec: resource*:.GroupResource=
StorageVersionMigrationStatus: conditions:(type).Condition&merge:type resourceVersion:s
`
