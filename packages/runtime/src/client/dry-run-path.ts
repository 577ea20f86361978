/** What a path of the API is about. */
export interface SplitPath {
  readonly plural: string
  readonly name?: string
  readonly subresource?: string
  /** The path without the subresource. */
  readonly object: string
}

/** "/apis/apps/v1/namespaces/default/deployments/web/scale" is about deployments, web, scale. */
export function splitPath(path: string): SplitPath {
  const parts = path.split("/").slice(1)
  const root = parts[0] === "api" ? 2 : 3
  // A namespace itself is at /api/v1/namespaces/<name>, with at most "finalize" or "status" behind it.
  const inNamespace = parts[root] === "namespaces" && parts.length > root + 2 && !["finalize", "status"].includes(parts[root + 2] ?? "")
  const at = inNamespace ? root + 2 : root
  const [plural = "", name, ...subresource] = parts.slice(at)
  return {
    plural,
    name: name && decodeURIComponent(name),
    subresource: subresource.length === 0 ? undefined : subresource.join("/"),
    object: `/${parts.slice(0, at + 2).join("/")}`,
  }
}
