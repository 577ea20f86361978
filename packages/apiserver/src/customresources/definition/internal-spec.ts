import { deepEqual } from "@pilothouse/api"
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from "@pilothouse/api/apiextensions/v1"

/**
 * A definition in the form that upstream validates: a part that is the same in all versions stands once beside them, as in v1beta1, and in none of
 * them. The paths of field errors follow from it: the schema of a definition with one version is at spec.validation.openAPIV3Schema.
 */
export interface InternalSpec extends CustomResourceDefinitionSpec {
  /** The name of the first version. */
  readonly version: string
  readonly validation?: CustomResourceValidation
  readonly subresources?: CustomResourceSubresources
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[]
  readonly selectableFields?: readonly SelectableField[]
}

const shared = ["subresources", "schema", "additionalPrinterColumns", "selectableFields"] as const

/** Returns the spec with its shared parts at the top. */
export function internalSpec(spec: CustomResourceDefinitionSpec): InternalSpec {
  const { versions = [] } = spec
  const [first] = versions
  if (first === undefined) return { ...spec, versions, version: "" }
  const common = shared.filter((part) => versions.every((version) => deepEqual(version[part], first[part])))
  const at = <Part extends (typeof shared)[number]>(part: Part) => (common.includes(part) ? first[part] : undefined)
  const [validation, subresources] = [at("schema"), at("subresources")]
  const [additionalPrinterColumns, selectableFields] = [at("additionalPrinterColumns"), at("selectableFields")]
  return {
    ...spec,
    version: first.name,
    versions: versions.map((version) => without(version, common)),
    ...(validation === undefined ? {} : { validation }),
    ...(subresources === undefined ? {} : { subresources }),
    ...(additionalPrinterColumns === undefined ? {} : { additionalPrinterColumns }),
    ...(selectableFields === undefined ? {} : { selectableFields }),
  }
}

function without(version: CustomResourceDefinitionVersion, parts: readonly string[]): CustomResourceDefinitionVersion {
  const left = Object.entries(version).filter(([key]) => !parts.includes(key))
  return Object.fromEntries(left) as unknown as CustomResourceDefinitionVersion
}
