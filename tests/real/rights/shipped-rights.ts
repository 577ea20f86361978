import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseAllDocuments } from "yaml"
import { root } from "../up-cluster.ts"
import type { NeededRight } from "./recorder.ts"

/** A right that a file of deploy/ gives: one verb on one resource, of one name where it is limited to names. */
export type ShippedRight = Omit<NeededRight, "user">

interface RoleDocument {
  readonly kind: string
  readonly rules?: readonly {
    readonly apiGroups?: readonly string[]
    readonly resources?: readonly string[]
    readonly resourceNames?: readonly string[]
    readonly verbs: readonly string[]
  }[]
}

/** Returns the rights in the roles of a file, each once. Rules for paths that are no resources are left out. */
export function shippedRights(file: string): readonly ShippedRight[] {
  const documents = parseAllDocuments(readFileSync(join(root, file), "utf8")).map((document) => document.toJS() as RoleDocument)
  const rules = documents.flatMap(({ kind, rules = [] }) => (kind.endsWith("Role") ? rules : []))
  const rights = rules.flatMap(({ apiGroups = [], resources = [], resourceNames = [""], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((path) => {
        const [resource = "", subresource = ""] = path.split("/")
        return resourceNames.flatMap((name) => verbs.map((verb) => ({ verb, group, resource, subresource, name })))
      }),
    ),
  )
  return [...new Map(rights.map((right) => [rightText(right), right])).values()]
}

/** Reports whether a right is what was needed: `*` stands for all groups and resources, and "" for all names. */
export function gives(right: ShippedRight, needed: ShippedRight): boolean {
  if (right.verb !== needed.verb || (right.name !== "" && right.name !== needed.name)) return false
  if (right.group !== "*" && right.group !== needed.group) return false
  if (right.resource === "*" && right.subresource === "") return true
  return right.subresource === needed.subresource && (right.resource === "*" || right.resource === needed.resource)
}

/** "update apps deployments/status" */
export function rightText({ verb, group, resource, subresource, name }: ShippedRight): string {
  const path = subresource === "" ? resource : `${resource}/${subresource}`
  return [verb, group === "" ? "core" : group, path, name].filter((part) => part !== "").join(" ")
}
