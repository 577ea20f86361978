import { stringify } from "yaml"

/** As kubectl prints it: what YAML 1.1 would take for something else than a text has quotes, and keys are in their order. */
export function yamlText(value: unknown): string {
  return stringify(value, { compat: "yaml-1.1", sortMapEntries: true, aliasDuplicateObjects: false })
}
