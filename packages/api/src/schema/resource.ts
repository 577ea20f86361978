import { PilothouseError } from "@pilothouse/seams"
import type { KubeObject } from "../meta/object.ts"
import type { Descriptor } from "./descriptor.ts"

/** What its CustomResourceDefinition says of a resource. Only the first three have to be said. */
export interface ResourceOptions
  extends Partial<Pick<Descriptor, "plural" | "singular" | "shortNames" | "categories" | "namespaced" | "verbs" | "subresources">> {
  /** spec.group: "example.com". */
  readonly group: string
  /** The name of one of spec.versions: "v1". */
  readonly version: string
  /** spec.names.kind: "Widget". */
  readonly kind: string
}

const everyVerb = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]

/**
 * The descriptor of a custom resource, with the type of its objects: `resource<Widget>({ group: "example.com", version: "v1", kind: "Widget" })`.
 * By default its objects belong to namespaces, it has a status, and its plural is the English one of its kind ("widgets").
 */
export function resource<T extends KubeObject>(options: ResourceOptions): Descriptor<T> {
  for (const field of ["group", "version", "kind"] as const) {
    if (typeof options[field] === "string" && (options[field] !== "" || field === "group")) continue
    throw new PilothouseError(
      "INVALID",
      `expected the ${field} of a resource, found ${JSON.stringify(options[field])}; its CustomResourceDefinition says it`,
    )
  }
  const singular = options.kind.toLowerCase()
  return {
    plural: pluralOf(singular),
    singular,
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: everyVerb,
    subresources: [{ name: "status", verbs: ["get", "patch", "update"] }],
    ...options,
  }
}

/** As the tools that write CustomResourceDefinitions do: policy, policies; gateway, gateways; class, classes. */
function pluralOf(singular: string): string {
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`
}
