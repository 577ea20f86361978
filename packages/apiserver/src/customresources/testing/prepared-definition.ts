import { formatFieldError } from "@pilothouse/api"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { type Draft, draftOf } from "../../body/draft.ts"
import { definitionErrors } from "../definition/definition-rules.ts"
import { customResourceDefinition } from "../definition/strategy.ts"
import { widgets } from "./definitions.ts"

export type Definition = Draft<CustomResourceDefinition>
export type Version = Definition["spec"]["versions"][number]
export type Change = (spec: Definition["spec"], first: Version, definition: Definition) => void

/** A definition as it is when it is validated: with its defaults and its status. */
export function prepared(change: Change, definition = widgets()): CustomResourceDefinition {
  const draft = draftOf(definition)
  change(draft.spec, draft.spec.versions[0]!, draft)
  customResourceDefinition.defaults(draft)
  customResourceDefinition.prepareForCreate(draft)
  return draft as CustomResourceDefinition
}

export const errorsOf = (definition: CustomResourceDefinition, old?: CustomResourceDefinition) =>
  definitionErrors(definition, old).map(formatFieldError)
