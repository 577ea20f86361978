import { deepEqual, type FieldError, forbidden, type KubeObject } from "@pilothouse/api"
import type { CustomResourceDefinitionVersion } from "@pilothouse/api/apiextensions/v1"
import { findResults, parseTemplate, printResults } from "@pilothouse/api/jsonpath"
import { lazy } from "@pilothouse/seams"
import { type Draft, draftOf } from "../body/draft.ts"
import type { ResourceStrategy, StoredAs } from "../resources/resource.ts"
import { isConditionTrue } from "./definition/conditions.ts"
import { validateScale } from "./scale.ts"
import type { CustomResourceSchema, JsonObject } from "./schema/custom-resource-schema.ts"
import type { CustomResourceRules } from "./schema/rules.ts"
import type { CustomResourceVersion } from "./served-version.ts"

interface Parts {
  status?: unknown
}

/** What a strategy needs of its version beside the definition. */
interface StrategyParts {
  readonly schema: CustomResourceSchema
  readonly rules: CustomResourceRules
  readonly stored: StoredAs
}

/** Returns the strategy of one version of a definition: what upstream's customResourceStrategy does, and its statusStrategy. */
export function customResourceStrategy(served: CustomResourceVersion, { schema, rules, stored }: StrategyParts): ResourceStrategy {
  const { definition, descriptor } = served
  const isTerminating = isConditionTrue(definition, "Terminating")
  const json = (object: KubeObject | undefined) => object as never as JsonObject
  const validateRules = (errors: readonly FieldError[], object: KubeObject, old?: KubeObject) =>
    rules.validate(errors, { object, old, hasValidValues: () => schema.hasValidValues(json(object)) })
  const validate = (object: KubeObject, old?: KubeObject) =>
    validateRules([...schema.validate(json(object), json(old)), ...validateScale(served.version, object)], object, old)
  const validateStatusUpdate = (object: KubeObject, old: KubeObject) =>
    validateRules([...schema.validateStatus(json(object), json(old)), ...validateScale(served.version, object, "status")], object, old)
  return {
    generation: (object, old) => !deepEqual(withoutMetadata(object), withoutMetadata(old)),
    prepareForStatusUpdate(object: Draft<KubeObject> & Parts, old) {
      object.metadata = draftOf(old.metadata)
    },
    validate,
    validateStatusUpdate,
    fields: selectableFieldsOf(served.version),
    unconditionalUpdate: false,
    plainFinalizers: true,
    validationWarnings: (object) => rules.warnings(object),
    warnings: (object, old) => finalizerWarnings(object.metadata.finalizers ?? [], old?.metadata.finalizers),
    storedAs: stored,
    ...(isTerminating && {
      admitCreate(name) {
        throw forbidden(descriptor, name, "create not allowed while custom resource definition is terminating")
      },
    }),
  }
}

function withoutMetadata({ metadata: _metadata, ...rest }: KubeObject): unknown {
  return rest
}

/** Returns a warning for each new finalizer whose name another writer may have chosen too. */
function finalizerWarnings(finalizers: readonly string[], old: readonly string[] = []): readonly string[] {
  return finalizers
    .filter(
      (finalizer) =>
        !old.includes(finalizer) && !finalizer.includes("/") && !["kubernetes", "orphan", "foregroundDeletion"].includes(finalizer),
    )
    .toSorted()
    .map((finalizer) => {
      const better = finalizer.includes(".") ? "including a path (/) " : ""
      return `metadata.finalizers: ${JSON.stringify(finalizer)}: prefer a domain-qualified finalizer name ${better}to avoid accidental conflicts with other finalizer writers`
    })
}

/** Returns the fields of a version that field selectors may name, beside those of the metadata: "spec.color" for the path ".spec.color". */
export function selectableFieldsOf({
  selectableFields = [],
}: CustomResourceDefinitionVersion): Readonly<Record<string, (object: KubeObject) => string>> {
  return Object.fromEntries(selectableFields.map(({ jsonPath }) => [jsonPath.replace(/^\./, ""), textAt(jsonPath)]))
}

/** Empty where there is no value. */
function textAt(jsonPath: string): (object: KubeObject) => string {
  const path = lazy(() => parseTemplate(`{${jsonPath}}`))
  return (object) => {
    const [[value] = []] = findResults(path(), object, { allowMissingKeys: true })
    return value === undefined || value === null ? "" : printResults([value])
  }
}
