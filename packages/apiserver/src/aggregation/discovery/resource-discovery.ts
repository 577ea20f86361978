import { PilothouseError } from "@pilothouse/seams"

type Json = Readonly<Record<string, unknown>>

/** The resources of one group version, as aggregated discovery lists them. */
export type DiscoveredResources = readonly Json[]

/** By "group/version". */
export type DiscoveredVersions = ReadonlyMap<string, DiscoveredResources>

/** Returns the group versions of an APIGroupDiscoveryList. Throws where the document is of another form. */
export function versionsIn(document: unknown): DiscoveredVersions {
  const found = new Map<string, DiscoveredResources>()
  for (const group of listOf(objectOf(document, "an APIGroupDiscoveryList").items, "items")) {
    const { metadata, versions } = objectOf(group, "a group")
    const name = metadata === undefined ? "" : (textOf(objectOf(metadata, "metadata").name, "the name of a group") ?? "")
    for (const version of listOf(versions, "versions")) {
      const { version: versionName, resources } = objectOf(version, "a version")
      found.set(`${name}/${textOf(versionName, "a version") ?? ""}`, listOf(resources, "resources").map(resourceOf))
    }
  }
  return found
}

/** Returns the resources of an APIResourceList, the older form, in that of aggregated discovery. */
export function resourcesIn(document: unknown): DiscoveredResources {
  const found = new Map<string, { readonly resource: Json; readonly subresources: Json[] }>()
  for (const entry of listOf(objectOf(document, "an APIResourceList").resources, "resources")) {
    const { name, namespaced, kind, group, version, verbs, singularName, shortNames, categories } = objectOf(entry, "a resource")
    const [resource = "", ...rest] = (textOf(name, "the name of a resource") ?? "").split("/")
    const responseKind = {
      group: textOf(group, "group") ?? "",
      version: textOf(version, "version") ?? "",
      kind: textOf(kind, "kind") ?? "",
    }
    if (rest.length > 0) {
      const parent = found.get(resource) ?? {
        resource: { resource, scope: namespaced === true ? "Namespaced" : "Cluster" },
        subresources: [],
      }
      found.set(resource, parent)
      parent.subresources.push(subresourceOf({ subresource: rest.join("/"), responseKind, verbs }))
      continue
    }
    const scope = namespaced === true ? "Namespaced" : "Cluster"
    const own = { resource, responseKind, scope, singularResource: singularName, verbs, shortNames, categories }
    found.set(resource, { resource: own, subresources: found.get(resource)?.subresources ?? [] })
  }
  return [...found.values()].map(({ resource, subresources }) => resourceOf({ ...resource, subresources }))
}

function resourceOf(value: unknown): Json {
  const { resource, responseKind, scope, singularResource, verbs, shortNames, categories, subresources } = objectOf(value, "a resource")
  const parts = listOf(subresources, "subresources").map((one) => subresourceOf(objectOf(one, "a subresource")))
  return {
    resource: textOf(resource, "the name of a resource") ?? "",
    responseKind: kindOf(responseKind),
    scope: textOf(scope, "scope") ?? "",
    singularResource: textOf(singularResource, "singularResource") ?? "",
    verbs: textsOf(verbs, "verbs"),
    ...unlessEmpty("shortNames", textsOf(shortNames, "shortNames")),
    ...unlessEmpty("categories", textsOf(categories, "categories")),
    ...unlessEmpty("subresources", parts),
  }
}

function subresourceOf({ subresource, responseKind, acceptedTypes, verbs }: Json): Json {
  return {
    subresource: textOf(subresource, "the name of a subresource") ?? "",
    responseKind: kindOf(responseKind),
    ...unlessEmpty("acceptedTypes", listOf(acceptedTypes, "acceptedTypes").map(kindOf)),
    verbs: textsOf(verbs, "verbs"),
  }
}

/** Older clients fail where there is none. */
function kindOf(value: unknown): Json {
  const { group, version, kind } = value === undefined || value === null ? ({} as Json) : objectOf(value, "responseKind")
  return { group: textOf(group, "group") ?? "", version: textOf(version, "version") ?? "", kind: textOf(kind, "kind") ?? "" }
}

function unlessEmpty(name: string, list: readonly unknown[]): Json {
  return list.length === 0 ? {} : { [name]: list }
}

function objectOf(value: unknown, what: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json
  throw unexpected(what, "an object", value)
}

/** What Go leaves out of JSON is empty. */
function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw unexpected(what, "a list", value)
}

function textsOf(value: unknown, what: string): readonly string[] {
  return listOf(value, what).map((one) => textOf(one, what) ?? "")
}

function textOf(value: unknown, what: string): string | undefined {
  if (value === undefined || value === null || typeof value === "string") return value ?? undefined
  throw unexpected(what, "a text", value)
}

function unexpected(what: string, expected: string, found: unknown): PilothouseError {
  const type = Array.isArray(found) ? "a list" : found === null ? "null" : `a value of type ${typeof found}`
  return new PilothouseError("PROTOCOL", `expected ${expected} for ${what} in the discovery of an extension server, found ${type}`)
}
