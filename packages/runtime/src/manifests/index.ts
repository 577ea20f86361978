export { type EstablishedOptions, isDefinition, untilEstablished } from "./established.ts"
export { type Manifest, type ManifestOptions, parseManifests, readManifests } from "./read-manifests.ts"
