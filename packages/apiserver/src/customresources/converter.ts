import type { KubeObject } from "@pilothouse/api"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"

/** Converts objects of a definition between its versions. */
export interface Converter {
  /** Returns each object in the version, in their order. Only labels and annotations of the metadata may differ. Throws a StatusError in upstream's words. */
  convert(objects: readonly KubeObject[], apiVersion: string): Promise<readonly KubeObject[]>
}

/** Returns the converter of a definition whose strategy is Webhook. */
export type ConverterOf = (definition: CustomResourceDefinition) => Converter
