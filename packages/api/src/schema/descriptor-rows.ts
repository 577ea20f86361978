import type { KubeObject } from "../meta/object.ts"
import type { Descriptor, Subresource } from "./descriptor.ts"

const verbs: Readonly<Record<string, string>> = {
  c: "create",
  d: "delete",
  D: "deletecollection",
  g: "get",
  l: "list",
  p: "patch",
  u: "update",
  w: "watch",
}

// Module state on purpose: a pure cache, so that the descriptor of a row is one object wherever it was imported from. Bounded by the generated rows.
const described = new Map<string, Descriptor<never>>()

/**
 * Reads a row of the generated tables:
 * `apps/v1 Deployment deployments deployment deploy all n cdDglpuw scale:autoscaling/v1/Scale:gpu status::gpu`
 * apiVersion, kind, plural, singular, short names, categories, n(amespaced) or c(luster), verbs, then subresources as name:kind:verbs.
 */
export function descriptorFromRow<T extends KubeObject>(row: string): Descriptor<T> {
  const known = described.get(row) ?? read(row)
  described.set(row, known)
  return known
}

function read(row: string): Descriptor<never> {
  const [apiVersion = "", kind = "", plural = "", singular = "", shortNames = "", categories = "", scope, letters = "", ...rest] =
    row.split(" ")
  const slash = apiVersion.indexOf("/")
  return {
    group: apiVersion.slice(0, Math.max(slash, 0)),
    version: apiVersion.slice(slash + 1),
    kind,
    plural,
    singular,
    shortNames: words(shortNames),
    categories: words(categories),
    namespaced: scope === "n",
    verbs: verbsOf(letters),
    subresources: rest.map(subresource),
  }
}

function subresource(row: string): Subresource {
  const [name = "", kind = "", letters = ""] = row.split(":")
  return kind === "" ? { name, verbs: verbsOf(letters) } : { name, kind, verbs: verbsOf(letters) }
}

function words(list: string): readonly string[] {
  return list === "" ? [] : list.split(",")
}

function verbsOf(letters: string): readonly string[] {
  return Array.from(letters, (letter) => verbs[letter] ?? letter)
}
