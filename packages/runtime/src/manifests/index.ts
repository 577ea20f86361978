export { type DefinedKind, definitionIn } from "./apply-definitions.ts"
export { type EstablishedOptions, isDefinition, untilEstablished } from "./established.ts"
export { type Manifest, type ManifestOptions, parseManifests, readManifests } from "./read-manifests.ts"
