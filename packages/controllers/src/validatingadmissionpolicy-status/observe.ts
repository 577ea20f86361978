import { apiVersionOf, type Descriptor } from "@pilothouse/api"
import {
  type RuleWithOperations,
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
} from "@pilothouse/api/admissionregistration/v1"
import { descriptorFor, descriptorForResource } from "@pilothouse/api/descriptors"
import type { JsonSchema } from "@pilothouse/cel/kubernetes"
import type { Reader } from "@pilothouse/runtime"
import { schemaOfKind } from "./kind-schema.ts"

/** As many as upstream checks of each rule. */
const maxKinds = 10

/** A kind that a policy matches. */
export interface CheckedKind {
  readonly kind: Pick<Descriptor, "group" | "version" | "kind">
  readonly schema: JsonSchema
}

export interface Observed {
  readonly policy: ValidatingAdmissionPolicy
  /** By group, version and name; empty where the policy was checked before. */
  readonly kinds: readonly CheckedKind[]
  /** Of the params; "unknown" where their kind has no schema, undefined without a paramKind. */
  readonly params: JsonSchema | "unknown" | undefined
}

/** Whether the status is of an older generation. */
export function isDue({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  return Number(metadata.generation ?? 0) > Number(status?.observedGeneration ?? 0)
}

/** Reads the schemas of the kinds that a policy names without wildcards, and of its params. */
export async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const policy = read.get(validatingAdmissionPolicies, key)
  if (policy === undefined) return undefined
  if (!isDue(policy)) return { policy, kinds: [], params: undefined }
  const kinds: CheckedKind[] = []
  for (const kind of await kindsOf(policy.spec?.matchConstraints?.resourceRules ?? [], read)) {
    const schema = await schemaOfKind(kind, read)
    if (schema !== undefined) kinds.push({ kind, schema })
  }
  return { policy, kinds, params: await paramsSchema(policy, read) }
}

async function paramsSchema({ spec }: ValidatingAdmissionPolicy, read: Reader): Promise<Observed["params"]> {
  const { apiVersion = "", kind = "" } = spec?.paramKind ?? {}
  if (kind === "") return undefined
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  return (await schemaOfKind(descriptorFor({ group, version, kind }) ?? { group, version, kind }, read)) ?? "unknown"
}

async function kindsOf(rules: readonly RuleWithOperations[], read: Reader): Promise<readonly Descriptor[]> {
  const found = new Map<string, Descriptor>()
  for (const rule of rules) {
    let count = 0
    for (const [group, version, resource] of combinations(rule)) {
      const kind = await kindOf(group, version, resource, read)
      if (kind === undefined) continue
      found.set(`${apiVersionOf(kind)} ${kind.kind}`, kind)
      if (++count === maxKinds) return sorted(found)
    }
  }
  return sorted(found)
}

/** Each group with each version and resource, in order; none where one is a wildcard. Subresources are left out. */
function* combinations({
  apiGroups = [],
  apiVersions = [],
  resources = [],
}: RuleWithOperations): Generator<readonly [string, string, string]> {
  if ([...apiGroups, ...apiVersions].some((one) => one.includes("*"))) return
  const named = resources.filter((one) => !one.includes("*") && !one.includes("/"))
  for (const group of apiGroups.toSorted()) {
    for (const version of apiVersions.toSorted()) {
      for (const resource of named.toSorted()) yield [group, version, resource]
    }
  }
}

async function kindOf(group: string, version: string, resource: string, read: Reader): Promise<Descriptor | undefined> {
  const builtIn = descriptorForResource({ group, version, plural: resource })
  if (builtIn !== undefined) return builtIn
  const { resources } = await read.discovered()
  return resources.find((one) => one.group === group && one.version === version && one.plural === resource)
}

function sorted(kinds: ReadonlyMap<string, Descriptor>): readonly Descriptor[] {
  const words = ({ group, version, kind }: Descriptor) => [group, version, kind]
  return [...kinds.values()].sort((one, other) => {
    const [a, b] = [words(one), words(other)]
    const at = a.findIndex((word, index) => word !== b[index])
    return at === -1 ? 0 : a[at]! < b[at]! ? -1 : 1
  })
}
