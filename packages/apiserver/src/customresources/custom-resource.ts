import { apiVersionOf, checkDns1123Subdomain, type Schema } from "@pilothouse/api"
import { lazy } from "@pilothouse/seams"
import type { Findings } from "../body/coerce-to-schema.ts"
import { beyondDouble } from "../body/coerced-place.ts"
import { draftOf } from "../body/draft.ts"
import { literalBeyondDouble } from "../body/number-literals.ts"
import type { Resource } from "../resources/resource.ts"
import { compareVersions } from "../resources/version-order.ts"
import type { Converter } from "./converter.ts"
import { checkTypeMeta, decodeMetadata } from "./decode-metadata.ts"
import { customResourcePrinter } from "./printer-columns.ts"
import { customScale } from "./scale.ts"
import { type CustomResourceSchema, customResourceSchema, type JsonObject } from "./schema/custom-resource-schema.ts"
import { bothLoaded, CustomResourceRules } from "./schema/rules.ts"
import { typedSchema } from "./schema/typed-schema.ts"
import { type CustomResourceVersion, customResourceVerbs } from "./served-version.ts"
import { storedVersions } from "./stored-versions.ts"
import { customResourceStrategy } from "./strategy.ts"

/** What the resources of one definition share. */
interface Shared {
  readonly closing: AbortSignal
  readonly family: () => readonly Resource[]
  compiled(version: CustomResourceVersion["version"]): CompiledVersion
  /** Of a definition whose versions a webhook converts. */
  readonly converter: Converter | undefined
}

/** Returns the resource of one version of a definition. */
export function customResource(served: CustomResourceVersion, shared: Shared): Resource {
  const { closing, family } = shared
  const { definition, version } = served
  const descriptor = { ...served.descriptor, verbs: customResourceVerbs }
  const { schema, rules, typed } = shared.compiled(version)
  const { stored, conversion } = storedVersions(served, { ...shared, schemaOf: (one) => shared.compiled(one).schema })
  const strategy = customResourceStrategy(served, { schema, rules, stored })
  const unchanged = () => {}
  return {
    descriptor,
    apiVersion: apiVersionOf(descriptor),
    listKind: definition.status?.acceptedNames?.listKind ?? `${descriptor.kind}List`,
    get schema() {
      return typed()
    },
    load: (clock) => bothLoaded(schema.prepare(clock), rules.load(clock)),
    decoder: {
      checkKind: (value) => checkTypeMeta(value, descriptor),
      decode: (value, findings, isApplied) => decodeObject(value, schema, findings, isApplied),
    },
    strategicMerge: false,
    deprecations: deprecationsOf(served),
    closing,
    family,
    // A body gets its defaults when it is decoded, before it has an owner.
    fillDefaults: unchanged,
    fillZeros: unchanged,
    withNulls: (object) => object,
    strategy,
    names: checkDns1123Subdomain,
    hasStatus: version.subresources?.status !== undefined,
    unconditionalUpdate: false,
    createOnUpdate: false,
    stored,
    conversion,
    printer: customResourcePrinter(version),
    scalable: customScale(definition, version),
  }
}

/** The compiled schemas of a version, each made when it is first used. */
export interface CompiledVersion {
  readonly schema: CustomResourceSchema
  readonly rules: CustomResourceRules
  /** For field ownership. */
  typed(): Schema
}

/** Compiles a version of a definition. */
export function compileVersion({ schema }: CustomResourceVersion["version"]): CompiledVersion {
  const root = schema?.openAPIV3Schema ?? {}
  return { schema: customResourceSchema(root), rules: new CustomResourceRules(root), typed: lazy(() => typedSchema(root)) }
}

function decodeObject(value: object, schema: CustomResourceSchema, findings: Findings, isApplied: boolean): Record<string, unknown> {
  const { metadata, ...rest } = value as { readonly metadata?: unknown } & JsonObject
  const beyond = literalBeyondDouble(findings.literals)
  if (beyond !== undefined) beyondDouble(beyond)
  const unknown: string[] = []
  const decoded = decodeMetadata(metadata, findings)
  const coerced = schema.coerceEmbedded(schema.prune(rest, unknown), { unknown })
  const made = draftOf(schema.fillDefaults(coerced, { keepNulls: isApplied })) as Record<string, unknown>
  // Of what was applied, everything that is not declared was refused before.
  if (!isApplied) findings.unknownFields.push(...unknown)
  return { ...made, metadata: decoded }
}

/** Returns what clients of a deprecated version are warned with. */
function deprecationsOf({ definition, version, descriptor }: CustomResourceVersion): readonly string[] {
  if (version.deprecated !== true) return []
  if (version.deprecationWarning !== undefined) return [version.deprecationWarning]
  const { group, kind } = descriptor
  const newer = definition.spec.versions
    .filter(({ name, served, deprecated }) => served && deprecated !== true && compareVersions(name, version.name) < 0)
    .map(({ name }) => name)
    .sort(compareVersions)
  const instead = newer[0] === undefined ? "" : `; use ${group}/${newer[0]} ${kind}`
  return [`${group}/${version.name} ${kind} is deprecated${instead}`]
}
