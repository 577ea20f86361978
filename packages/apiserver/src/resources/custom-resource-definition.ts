import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import type { Draft } from "../body/draft.ts"
import { markDefinition } from "../customresources/definition/deletion.ts"
import type { ResourceStrategy } from "./resource.ts"

export const customResourceDefinition: ResourceStrategy<CustomResourceDefinition> = {
  unconditionalUpdate: false,
  marksTimeOnly: true,
  plainFinalizers: true,
  markDeleting: markDefinition,
  generation: "spec",
  defaults({ spec }) {
    if (spec === undefined) return
    const { names } = spec
    if (names?.kind !== undefined && names.kind !== "") {
      names.singular ||= names.kind.toLowerCase()
      names.listKind ||= `${names.kind}List`
    }
    spec.conversion ??= { strategy: "None" }
    const { webhook } = spec.conversion
    if (webhook?.clientConfig?.service !== undefined) webhook.clientConfig.service.port ??= 443
  },
  prepareForCreate(object) {
    object.status = { acceptedNames: { kind: "", plural: "" }, conditions: [], storedVersions: storedVersion(object) }
  },
}

function storedVersion({ spec }: Draft<CustomResourceDefinition>): string[] {
  const stored = spec?.versions?.find(({ storage }) => storage)
  return stored === undefined ? [] : [stored.name]
}
