import type { KubeObject } from "@pilothouse/api"
import type { CustomResourceDefinitionVersion } from "@pilothouse/api/apiextensions/v1"
import { findResults, parseTemplate, printResults } from "@pilothouse/api/jsonpath"
import { lazy } from "@pilothouse/seams"

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
