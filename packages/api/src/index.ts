export { apiVersionOf, type Descriptor, type ObjectOf, type PathParts, pathOf, resourceNameOf, type Subresource } from "./descriptor.ts"
export type { LabelSelector, LabelSelectorRequirement, ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference } from "./meta.ts"
export type { KubeObject } from "./object.ts"
export type { Field, PatchStrategy, Schema, SchemaType } from "./schema.ts"
