export type ApiVerb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection"

/** What a path speaks of: "/apis/apps/v1/namespaces/default/deployments/web/scale". */
export interface RequestInfo {
  readonly group: string
  readonly version: string
  /** Left out: cluster-scoped, or all namespaces. */
  readonly namespace?: string
  /** The plural. Left out for the path of a group version itself. */
  readonly plural?: string
  readonly name?: string
  readonly subresource?: string
  /** What follows a subresource: the path that a proxy passes on. */
  readonly rest: readonly string[]
  /** The old /watch/ prefix. */
  readonly watch: boolean
}

/** "namespaces/x/status" is a part of the namespace; any other word there is a resource in it. */
const namespaceSubresources: ReadonlySet<string> = new Set(["status", "finalize"])

/** Parses the path of a request (upstream's RequestInfo). Undefined for a path that is not of the form of a resource's. */
export function requestInfoOf(path: string): RequestInfo | undefined {
  const parts = decodedParts(path)
  if (parts === undefined) return undefined
  const [root, ...rest] = parts
  if (root === "api" && rest[0] !== undefined) return resourceInfo("", rest[0], rest.slice(1))
  if (root === "apis" && rest[0] !== undefined && rest[1] !== undefined) return resourceInfo(rest[0], rest[1], rest.slice(2))
  return undefined
}

function decodedParts(path: string): readonly string[] | undefined {
  try {
    // Decoded before it is split, as upstream: keys are made of namespaces and names, and one with a "/" of its own would lead into another namespace.
    return withoutOuterSlashes(decodeURIComponent(path)).split("/")
  } catch {
    // A "%" that escapes nothing: no resource has such a path.
    return undefined
  }
}

function withoutOuterSlashes(path: string): string {
  let [start, end] = [0, path.length]
  while (start < end && path[start] === "/") start++
  while (start < end && path[end - 1] === "/") end--
  return path.slice(start, end)
}

function resourceInfo(group: string, version: string, parts: readonly string[]): RequestInfo {
  const watch = parts[0] === "watch"
  const [first, namespace, plural, ...others] = watch ? parts.slice(1) : parts
  const inNamespace = first === "namespaces" && plural !== undefined && !namespaceSubresources.has(plural)
  if (inNamespace) return { group, version, watch, namespace, ...named(plural, others) }
  return {
    group,
    version,
    watch,
    ...named(
      first,
      [namespace, plural, ...others].filter((part) => part !== undefined),
    ),
  }
}

function named(plural: string | undefined, parts: readonly string[]): Pick<RequestInfo, "plural" | "name" | "subresource" | "rest"> {
  const [name, subresource, ...rest] = parts
  return { plural, name, subresource, rest }
}
