import type { Descriptor } from "@pilothouse/api"
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@pilothouse/api/apiextensions/v1"

/** A version of a definition that is served: what discovery, OpenAPI, tables and requests work with. */
export interface CustomResourceVersion {
  readonly definition: CustomResourceDefinition
  readonly version: CustomResourceDefinitionVersion
  readonly descriptor: Descriptor
}
