export { type DefinedKind, definitionIn, type EstablishedOptions, isDefinition, untilEstablished } from "./apply-definitions.ts"
export { type Manifest, type ManifestOptions, parseManifests, readManifests } from "./read-manifests.ts"
