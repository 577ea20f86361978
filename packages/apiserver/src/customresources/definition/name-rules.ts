import { checkDns1035Label, checkDns1123Subdomain, type FieldError, fieldError } from "@pilothouse/api"
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
} from "@pilothouse/api/apiextensions/v1"
import { immutable } from "../../validation/field-rules.ts"
import type { InternalSpec } from "./internal-spec.ts"
import type { Strictness } from "./ratchet.ts"

/** Returns what is wrong with the name of a definition. The generated part of a name never fits, so a generateName does not either. */
export function objectNameErrors({ metadata, spec }: CustomResourceDefinition): readonly FieldError[] {
  const expected = `${spec.names?.plural ?? ""}.${spec.group ?? ""}`
  return (["generateName", "name"] as const).flatMap((field) => {
    const value = metadata[field] ?? ""
    if (value === "" || value === expected) return []
    return [fieldError.invalid(`metadata.${field}`, value, 'must be spec.names.plural+"."+spec.group')]
  })
}

/** Returns what is wrong with the group of a definition. */
export function groupErrors(group: string): readonly FieldError[] {
  if (group === "") return [fieldError.required("spec.group")]
  const texts = checkDns1123Subdomain(group)
  if (texts.length > 0) return joinedFaults(texts, group, "spec.group")
  return group.includes(".") ? [] : [fieldError.invalid("spec.group", group, "should be a domain with at least one dot")]
}

/** Returns what is wrong with names, those that a definition asks for or those that it was given. */
export function namesErrors(names: CustomResourceDefinitionNames, path: string): readonly FieldError[] {
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = names
  const label = (value: string, field: string) => joinedFaults(value === "" ? [] : checkDns1035Label(value), value, `${path}.${field}`)
  const mixed = (value: string, field: string) => {
    const texts = value === "" ? [] : checkDns1035Label(value.toLowerCase())
    return joinedFaults(texts, value, `${path}.${field}`, "may have mixed case, but should otherwise match: ")
  }
  const each = (values: readonly string[], field: string) =>
    values.flatMap((value, index) => joinedFaults(checkDns1035Label(value), value, `${path}.${field}[${index}]`))
  return [
    ...label(plural, "plural"),
    ...label(singular, "singular"),
    ...mixed(kind, "kind"),
    ...mixed(listKind, "listKind"),
    ...each(shortNames, "shortNames"),
    ...(kind !== "" && kind === listKind
      ? [fieldError.invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same")]
      : []),
    ...each(categories, "categories"),
  ]
}

/** Returns what an update may not change: what objects are found by. */
export function unchangedErrors(
  spec: InternalSpec,
  old: CustomResourceDefinitionSpec,
  { requiresSameNames }: Strictness,
): readonly FieldError[] {
  return [
    ...(requiresSameNames ? immutable(spec.scope, old.scope, "spec.scope") : []),
    ...(requiresSameNames ? immutable(spec.names?.kind, old.names?.kind, "spec.names.kind") : []),
    ...immutable(spec.group, old.group, "spec.group"),
    ...immutable(spec.names?.plural, old.names?.plural, "spec.names.plural"),
  ]
}

/** Several faults of one name are one error. */
export function joinedFaults(texts: readonly string[], value: string, field: string, before = ""): readonly FieldError[] {
  return texts.length === 0 ? [] : [fieldError.invalid(field, value, `${before}${texts.join(",")}`)]
}
